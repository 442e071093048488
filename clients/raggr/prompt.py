"""What the agent's prompt says about the photo tools: one paragraph for its INTEGRATIONS part."""

from __future__ import annotations

PHOTOS_PROMPT = (
    "If immich_* tools are available, use them for photos and albums: call immich_find_albums before searching or "
    "creating; for a trip, search by place, read the date clusters, then take the whole date range so photos without "
    "GPS are included. To make or fill an album, preview it (immich_preview_album, immich_album_gaps), show the count "
    "and dates, and ask. Only after an explicit yes to exactly that, confirm once with the preview_token, exact count "
    "and name (immich_create_album, immich_add_to_album). Never invent a count, and ask again if the library changed."
)
