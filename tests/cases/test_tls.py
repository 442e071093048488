"""TLS with a household's own authority: a real server on loopback, real certificates, checking never switched off."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from service.app import create_app
from service.demo.app import create_lookalike
from service.demo.library import Library
from service.demo.lookalike import DEMO_KEY
from service.demo.server import LookAlikeServer, bind_loopback
from service.errors import ImmichUnreachable
from service.settings import load_settings

AUTHORITY = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Household CA")])
TODAY = datetime.now(UTC)


@dataclass(frozen=True)
class Certificates:
    authority: Path
    chain: Path
    key: Path


def builder(subject: x509.Name, key: ec.EllipticCurvePrivateKey) -> x509.CertificateBuilder:
    lasting = x509.CertificateBuilder().subject_name(subject).issuer_name(AUTHORITY).public_key(key.public_key())
    lasting = lasting.not_valid_before(TODAY - timedelta(days=1)).not_valid_after(TODAY + timedelta(days=1))
    return lasting.serial_number(x509.random_serial_number())


def make_certificates(folder: Path, *names: x509.GeneralName) -> Certificates:
    """An authority of its own, and a certificate it signed for a server of these names."""
    folder.mkdir()
    authority_key, server_key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    identifier = x509.SubjectKeyIdentifier.from_public_key(authority_key.public_key())
    usage = dict.fromkeys(("digital_signature", "key_cert_sign", "crl_sign"), True)
    unused = ("content_commitment", "key_encipherment", "data_encipherment", "key_agreement")
    nothing = dict.fromkeys((*unused, "encipher_only", "decipher_only"), False)
    authority = (
        builder(AUTHORITY, authority_key)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(x509.KeyUsage(**(usage | nothing)), critical=True)
        .add_extension(identifier, critical=False)
        .sign(authority_key, hashes.SHA256())
    )
    server = (
        builder(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "immich")]), server_key)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(identifier), critical=False)
        .sign(authority_key, hashes.SHA256())
    )
    made = Certificates(folder / "ca.pem", folder / "server.pem", folder / "server.key")
    made.authority.write_bytes(authority.public_bytes(serialization.Encoding.PEM))
    made.chain.write_bytes(server.public_bytes(serialization.Encoding.PEM))
    pem, plain = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    made.key.write_bytes(server_key.private_bytes(serialization.Encoding.PEM, pem, plain))
    return made


@contextlib.asynccontextmanager
async def lookalike_over_tls(certificates: Certificates) -> AsyncIterator[str]:
    """Its address, by number."""
    listener, ready = bind_loopback(0), asyncio.Event()
    server = LookAlikeServer(create_lookalike(Library()), on_ready=ready.set, own_signals=False)
    server.config.ssl_certfile, server.config.ssl_keyfile = str(certificates.chain), str(certificates.key)
    task = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        await ready.wait()
        yield f"https://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        await task
        listener.close()


async def albums_over(url: str, data_dir: Path, **settings: Any) -> int:
    values = {"immich_url": url, "immich_api_key": DEMO_KEY, "data_dir": data_dir} | settings
    app = create_app(load_settings(**values))
    async with app.router.lifespan_context(app):
        return len(await app.state.tripbook.library.list_albums())


async def test_net_05_an_own_authority_is_trusted_when_it_is_named(tmp_path: Path) -> None:
    made = make_certificates(tmp_path / "tls", x509.IPAddress(ipaddress.ip_address("127.0.0.1")))
    async with lookalike_over_tls(made) as url:
        with pytest.raises(ImmichUnreachable, match="certificate is not trusted; set IMMICH_CA_FILE"):
            await albums_over(url, tmp_path)
        assert await albums_over(url, tmp_path, immich_ca_file=str(made.authority)) == 0


async def test_net_05_a_certificate_for_another_name_says_so(tmp_path: Path) -> None:
    made = make_certificates(tmp_path / "tls", x509.DNSName("immich.lan"))
    async with lookalike_over_tls(made) as url:
        with pytest.raises(ImmichUnreachable, match="certificate is for another name; set IMMICH_URL"):
            await albums_over(url, tmp_path, immich_ca_file=str(made.authority))
