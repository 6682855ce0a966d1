"""An identity provider of pysaml2: `describe FOLDER` makes a key and metadata, `answer FOLDER` checks the request there and answers it in every shape."""

import base64
import datetime
import functools
import json
import pathlib
import sys
import urllib.parse
import zlib

import saml2.entity
import saml2.sigver
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import NameOID
from saml2 import BINDING_HTTP_POST, BINDING_HTTP_REDIRECT, xmldsig
from saml2.config import IdPConfig
from saml2.metadata import entity_descriptor
from saml2.saml import NameID
from saml2.server import Server
from saml2.sigver import get_xmlsec_binary

ENTITY_ID = "https://pysaml2.example.com/metadata"
SSO_URL = "https://pysaml2.example.com/sso"
NAME_FORMAT = "urn:oasis:names:tc:SAML:2.0:attrname-format:uri"
SIGNATURES = {"sha256": xmldsig.SIG_RSA_SHA256, "sha512": xmldsig.SIG_RSA_SHA512}
DIGESTS = {"sha256": xmldsig.DIGEST_SHA256, "sha512": xmldsig.DIGEST_SHA512}


def make_key(work: pathlib.Path) -> None:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "pysaml2")])
    now = datetime.datetime.now(datetime.timezone.utc)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now)
        .not_valid_after(now + datetime.timedelta(days=3650))
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    plain = serialization.PrivateFormat.TraditionalOpenSSL
    (work / "key.pem").write_bytes(key.private_bytes(pem, plain, serialization.NoEncryption()))
    (work / "certificate.pem").write_bytes(certificate.public_bytes(pem))


def shapes_of(work: pathlib.Path) -> dict:
    return json.loads((work / "shapes.json").read_text())


def write_attribute_map(work: pathlib.Path) -> pathlib.Path:
    """Every attribute goes out under the very name that the shape has for it."""
    names = {name: name for shape in shapes_of(work).values() for name in shape["attributes"]}
    folder = work / "maps"
    folder.mkdir(exist_ok=True)
    (folder / "literal.py").write_text(f"MAP = {{'identifier': {NAME_FORMAT!r}, 'fro': {names!r}, 'to': {names!r}}}\n")
    return folder


def configuration(work: pathlib.Path, knows_us: bool) -> IdPConfig:
    service = {
        "endpoints": {"single_sign_on_service": [(SSO_URL, BINDING_HTTP_REDIRECT), (SSO_URL, BINDING_HTTP_POST)]},
        "want_authn_requests_signed": True,
        "policy": {"default": {"lifetime": {"minutes": 5}, "name_form": NAME_FORMAT}},
    }
    settings = {
        "entityid": ENTITY_ID,
        "service": {"idp": service},
        "key_file": str(work / "key.pem"),
        "cert_file": str(work / "certificate.pem"),
        "xmlsec_binary": get_xmlsec_binary(),
        "attribute_map_dir": str(write_attribute_map(work)),
    }
    if knows_us:
        settings["metadata"] = {"local": [str(work / "sp-metadata.xml")]}
    return IdPConfig().load(settings)


def describe(work: pathlib.Path) -> None:
    make_key(work)
    (work / "metadata.xml").write_text(str(entity_descriptor(configuration(work, knows_us=False))))


def answer(work: pathlib.Path) -> None:
    server = Server(config=configuration(work, knows_us=True))
    query = dict(urllib.parse.parse_qsl((work / "query.txt").read_text()))
    # The signature of the query is checked with the certificate of our metadata.
    request = parse(server, query).message
    print(f"{request.issuer.text} signed {request.id}: verified")
    refuse_altered(server, query)
    for name, shape in shapes_of(work).items():
        encrypts = shape.get("encrypts")
        if encrypts:
            encrypt_with(encrypts["content"])
        response = server.create_authn_response(
            shape["attributes"],
            in_response_to=request.id,
            destination=request.assertion_consumer_service_url,
            sp_entity_id=request.issuer.text,
            name_id=NameID(format=shape["nameIdFormat"], text=shape["nameId"]),
            authn={"class_ref": "urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport"},
            sign_response=shape["signs"] != "assertion",
            sign_assertion=shape["signs"] != "response",
            sign_alg=SIGNATURES[shape["hash"]],
            digest_alg=DIGESTS[shape["hash"]],
            encrypt_assertion=bool(encrypts),
            encrypt_assertion_self_contained=True,
        )
        (work / f"{name}.xml").write_text(str(response))


def parse(server: Server, query: dict):
    return server.parse_authn_request(
        query["SAMLRequest"],
        BINDING_HTTP_REDIRECT,
        relay_state=query["RelayState"],
        sigalg=query["SigAlg"],
        signature=query["Signature"],
    )


def refuse_altered(server: Server, query: dict) -> None:
    xml = zlib.decompress(base64.b64decode(query["SAMLRequest"]), -15)
    altered = xml.replace(b"Version=", b"Version =", 1)
    assert altered != xml
    deflated = zlib.compress(altered)[2:-4]
    for change in ({"RelayState": "other"}, {"SAMLRequest": base64.b64encode(deflated).decode()}):
        try:
            parse(server, query | change)
        except Exception as refusal:  # noqa: BLE001
            print(f"with another {next(iter(change))}: {type(refusal).__name__}")
        else:
            raise AssertionError("an altered request was accepted")


def encrypt_with(content: str) -> None:
    """The library encrypts with Triple DES and has no setting for anything else: its defaults are changed."""
    namespace = "http://www.w3.org/2009/xmlenc11#" if content.endswith("gcm") else "http://www.w3.org/2001/04/xmlenc#"
    part = functools.partial(saml2.sigver.pre_encryption_part, msg_enc=namespace + content)
    saml2.entity.pre_encryption_part = part
    size = content[len("aes") : content.index("-")]
    saml2.sigver.SecurityContext.encrypt_assertion.__defaults__ = (f"aes-{size}", None)


if __name__ == "__main__":
    step, folder = sys.argv[1:]
    {"describe": describe, "answer": answer}[step](pathlib.Path(folder))
