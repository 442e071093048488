"""How Immich writes assets, persons and users as JSON, per version. Encoded assets are cached as bytes."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from typing import Any

import msgspec

from service.demo.conditions import checksum
from service.demo.instants import database_text
from service.demo.library import Asset, Library, Person, User
from service.demo.versions import ImmichVersion

MIME_TYPES = {
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "heic": "image/heic",
    "png": "image/png",
    "mp4": "video/mp4",
    "mov": "video/quicktime",
    "m4a": "audio/mp4",
}


def digest(text: str, size: int) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=size).digest()


def user_body(user: User) -> dict[str, Any]:
    return {
        "id": user.id,
        "email": user.email,
        "name": user.name,
        "profileImagePath": "",
        "avatarColor": ("pink", "red", "purple", "blue", "amber")[digest(user.id, 1)[0] % 5],
        "profileChangedAt": "2026-12-01T04:00:00.12857+00:00",
    }


def person_body(person: Person) -> dict[str, Any]:
    return {
        "id": person.id,
        "name": person.name,
        "birthDate": None,
        "thumbnailPath": "",
        "isHidden": person.is_hidden,
        "isFavorite": False,
        "updatedAt": person.updated_at,
    }


def face_body(asset: Asset, person: Person) -> dict[str, Any]:
    corners = {"boundingBoxX1": 10, "boundingBoxY1": 10, "boundingBoxX2": 40, "boundingBoxY2": 40}
    face_id = digest(asset.id + person.id, 16).hex()
    text = f"{face_id[:8]}-{face_id[8:12]}-4{face_id[13:16]}-a{face_id[17:20]}-{face_id[20:]}"
    return {"id": text, **corners, "imageWidth": 160, "imageHeight": 120, "sourceType": "machine-learning"}


def exif_body(asset: Asset) -> dict[str, Any]:
    return {
        "make": asset.make,
        "model": asset.model,
        "exifImageWidth": 160,
        "exifImageHeight": 120,
        "fileSizeInByte": 1300 + digest(asset.id, 1)[0],
        "orientation": "1" if asset.type == "VIDEO" else None,
        "dateTimeOriginal": database_text(asset.file_created_at),
        "modifyDate": database_text(asset.file_modified_at or asset.file_created_at),
        "timeZone": asset.time_zone,
        "lensModel": None,
        "fNumber": None,
        "focalLength": None,
        "iso": None,
        "exposureTime": None,
        "latitude": asset.latitude,
        "longitude": asset.longitude,
        "city": asset.city,
        "state": asset.state,
        "country": asset.country,
        "description": asset.description,
        "projectionType": None,
        "rating": None,
    }


def duration(asset: Asset, version: ImmichVersion) -> int | str | None:
    """Milliseconds or null since 3.0, text before."""
    if version.is_v3:
        return asset.duration_ms
    if asset.duration_ms is None:
        return "0:00:00.00000"
    seconds, ms = divmod(asset.duration_ms, 1000)
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}.{ms:03d}"


class AssetWriter:
    """Assets as one user sees them. Encoded bytes are kept until the asset changes."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._kept: dict[tuple[str, bool, bool], tuple[int, bytes]] = {}

    def encoded(self, asset: Asset, version: ImmichVersion, *, exif: bool = False, people: bool = False) -> bytes:
        if people:
            return msgspec.json.encode(self.body(asset, version, exif=exif, people=True))
        key = (asset.id, version.is_v3, exif)
        kept = self._kept.get(key)
        if kept is not None and kept[0] == asset.revision:
            return kept[1]
        text = msgspec.json.encode(self.body(asset, version, exif=exif))
        self._kept[key] = (asset.revision, text)
        return text

    def body(
        self,
        asset: Asset,
        version: ImmichVersion,
        *,
        exif: bool = False,
        people: bool = False,
        from_album: bool = False,
    ) -> dict[str, Any]:
        """One item; 2.x album answers write dates in the database's form (`+00:00`)."""
        body = self._identity(asset, version) | self._times_and_flags(asset, version)
        if from_album:
            for name in ("createdAt", "fileCreatedAt", "fileModifiedAt", "localDateTime", "updatedAt"):
                body[name] = database_text(body[name])
        if exif and asset.has_exif is not None:
            body["exifInfo"] = exif_body(asset) if asset.has_exif else {}
        body["livePhotoVideoId"] = asset.live_photo_video_id
        body["people"] = self._people(asset, version) if people else []
        if people and not version.is_v3:
            body["unassignedFaces"] = []
        return body | {
            "checksum": checksum(asset),
            "isOffline": asset.is_offline,
            "hasMetadata": True,
            "duplicateId": None,
            "resized": True,
            "width": 160,
            "height": 120,
            "isEdited": False,
        }

    def _identity(self, asset: Asset, version: ImmichVersion) -> dict[str, Any]:
        stem, _, suffix = asset.file_name.rpartition(".")
        old = not version.is_v3
        name = digest(asset.id, 16).hex()
        return {
            "id": asset.id,
            "createdAt": asset.created_at,
            **({"deviceAssetId": stem} if old else {}),
            "ownerId": asset.owner_id,
            **({"deviceId": "seed"} if old else {}),
            "libraryId": None,
            "type": asset.type,
            "originalPath": f"/data/upload/{asset.owner_id}/{name[:2]}/{name[2:4]}/{name}.{suffix}",
            "originalFileName": asset.file_name,
            "originalMimeType": MIME_TYPES.get(suffix.lower(), "application/octet-stream"),
            "thumbhash": b64encode(digest(asset.id, 21)).decode(),
        }

    def _times_and_flags(self, asset: Asset, version: ImmichVersion) -> dict[str, Any]:
        return {
            "fileCreatedAt": asset.file_created_at,
            "fileModifiedAt": asset.file_modified_at or asset.file_created_at,
            "localDateTime": asset.local_date_time,
            "updatedAt": asset.updated_at,
            # others' hearts are not shown, although the filter finds them
            "isFavorite": asset.is_favorite and asset.owner_id == self._library.me.id,
            "isArchived": asset.visibility == "archive",
            "isTrashed": asset.is_trashed,
            "visibility": asset.visibility,
            "duration": duration(asset, version),
        }

    def _people(self, asset: Asset, version: ImmichVersion) -> list[dict[str, Any]]:
        bodies = []
        for person in self._library.people.values():
            if person.id in asset.person_ids:
                body = person_body(person) | {"updatedAt": database_text(person.updated_at)}
                bodies.append(body if version.is_v3 else body | {"faces": [face_body(asset, person)]})
        return bodies
