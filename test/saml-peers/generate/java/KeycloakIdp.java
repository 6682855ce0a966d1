import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.security.PublicKey;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.keycloak.dom.saml.v2.assertion.AttributeStatementType;
import org.keycloak.dom.saml.v2.assertion.AttributeType;
import org.keycloak.dom.saml.v2.metadata.EndpointType;
import org.keycloak.dom.saml.v2.metadata.EntityDescriptorType;
import org.keycloak.dom.saml.v2.metadata.IDPSSODescriptorType;
import org.keycloak.dom.saml.v2.metadata.KeyDescriptorType;
import org.keycloak.dom.saml.v2.metadata.KeyTypes;
import org.keycloak.dom.saml.v2.metadata.SPSSODescriptorType;
import org.keycloak.dom.saml.v2.protocol.AuthnRequestType;
import org.keycloak.dom.saml.v2.protocol.ResponseType;
import org.keycloak.rotation.HardcodedKeyLocator;
import org.keycloak.saml.BaseSAML2BindingBuilder;
import org.keycloak.saml.SAML2LoginResponseBuilder;
import org.keycloak.saml.SAMLRequestParser;
import org.keycloak.saml.SPMetadataDescriptor;
import org.keycloak.saml.SignatureAlgorithm;
import org.keycloak.saml.common.constants.JBossSAMLURIConstants;
import org.keycloak.saml.common.util.StaxUtil;
import org.keycloak.saml.processing.core.parsers.saml.SAMLParser;
import org.keycloak.saml.processing.core.saml.v2.common.SAMLDocumentHolder;
import org.keycloak.saml.processing.core.saml.v2.util.SAMLMetadataUtil;
import org.keycloak.saml.processing.core.saml.v2.writers.SAMLMetadataWriter;
import org.keycloak.saml.processing.core.util.RedirectBindingSignatureUtil;

/** An identity provider of Keycloak's SAML library: `describe FOLDER` makes a key and metadata, `answer FOLDER` checks the request there and answers it in every shape. */
public final class KeycloakIdp {
  private static final String ENTITY_ID = "https://keycloak.example.com/realms/example";
  private static final String SSO_URL = ENTITY_ID + "/protocol/saml";
  private static final String KEY_NAME = "7qYJ9Pz0-example";

  private final Recording recording;

  public static void main(String[] arguments) throws Exception {
    Recording recording = new Recording(arguments[1]);
    KeycloakIdp idp = new KeycloakIdp(recording);
    if (arguments[0].equals("describe")) {
      recording.makeKeys("keycloak");
      idp.describe();
    } else idp.answer();
  }

  private KeycloakIdp(Recording recording) {
    this.recording = recording;
  }

  private void describe() throws Exception {
    IDPSSODescriptorType role = new IDPSSODescriptorType(List.of(JBossSAMLURIConstants.PROTOCOL_NSURI.get()));
    role.setWantAuthnRequestsSigned(true);
    String certificate = Base64.getEncoder().encodeToString(recording.certificate().getEncoded());
    role.addKeyDescriptor(SPMetadataDescriptor.buildKeyDescriptorType(SPMetadataDescriptor.buildKeyInfoElement(KEY_NAME, certificate), KeyTypes.SIGNING));
    for (JBossSAMLURIConstants binding : List.of(JBossSAMLURIConstants.SAML_HTTP_REDIRECT_BINDING, JBossSAMLURIConstants.SAML_HTTP_POST_BINDING)) {
      role.addSingleSignOnService(new EndpointType(binding.getUri(), URI.create(SSO_URL)));
    }
    EntityDescriptorType entity = new EntityDescriptorType(ENTITY_ID);
    entity.addChoiceType(new EntityDescriptorType.EDTChoiceType(List.of(new EntityDescriptorType.EDTDescriptorChoiceType(role))));
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    new SAMLMetadataWriter(StaxUtil.getXMLStreamWriter(out)).writeEntityDescriptor(entity);
    recording.write("metadata", out.toString(StandardCharsets.UTF_8));
  }

  private void answer() throws Exception {
    byte[] request = Files.readAllBytes(recording.folder.resolve("request.xml"));
    SPSSODescriptorType us = us();
    System.out.println("metadata: AuthnRequestsSigned=" + us.isAuthnRequestsSigned() + ", " + us.getAssertionConsumerService().get(0).getLocation());
    if (!isSigned(recording.query(), us)) throw new IllegalStateException("the signature does not hold");
    AuthnRequestType asked = (AuthnRequestType) parse(request).getSamlObject();
    System.out.println(asked.getIssuer().getValue() + " signed " + asked.getID() + ": verified");
    if (isSigned(recording.query().altered(), us)) throw new IllegalStateException("an altered request was accepted");
    System.out.println("altered: refused");
    for (Map.Entry<String, Recording.Shape> each : recording.shapes().entrySet()) recording.write(each.getKey(), respond(asked, each.getValue()));
  }

  /** The library of this version names AES-CBC by the size of its key. */
  private void encrypt(BaseSAML2BindingBuilder<?> binding, Recording.Encryption encryption) throws Exception {
    binding.encrypt(keyFor(KeyTypes.ENCRYPTION, us())).encryptionAlgorithm("AES").encryptionKeySize(Integer.parseInt(encryption.content().substring(3, 6)));
    if (encryption.isSha1()) return;
    binding.keyEncryptionAlgorithm(encryption.transportUri()).keyEncryptionDigestMethod(encryption.digestUri()).keyEncryptionMgfAlgorithm(encryption.maskUri());
  }

  private static SAMLDocumentHolder parse(byte[] request) {
    return SAMLRequestParser.parseRequestPostBinding(Base64.getEncoder().encodeToString(request));
  }

  private SPSSODescriptorType us() throws Exception {
    try (InputStream in = Files.newInputStream(recording.folder.resolve("sp-metadata.xml"))) {
      EntityDescriptorType us = (EntityDescriptorType) SAMLParser.getInstance().parse(in);
      return us.getChoiceType().get(0).getDescriptors().get(0).getSpDescriptor();
    }
  }

  private static PublicKey keyFor(KeyTypes use, SPSSODescriptorType us) throws Exception {
    for (KeyDescriptorType key : us.getKeyDescriptor()) if (key.getUse() == use) return SAMLMetadataUtil.getCertificate(key).getPublicKey();
    throw new IllegalStateException("no key for " + use);
  }

  private static boolean isSigned(Recording.Query query, SPSSODescriptorType us) throws Exception {
    SignatureAlgorithm algorithm = SignatureAlgorithm.getFromXmlMethod(query.algorithm());
    HardcodedKeyLocator key = new HardcodedKeyLocator(keyFor(KeyTypes.SIGNING, us));
    return RedirectBindingSignatureUtil.validateRedirectBindingSignature(algorithm, query.signed(), query.signature(), key, null);
  }

  private String respond(AuthnRequestType asked, Recording.Shape shape) throws Exception {
    SAML2LoginResponseBuilder builder = new SAML2LoginResponseBuilder().requestID(asked.getID())
        .destination(asked.getAssertionConsumerServiceURL().toString()).issuer(ENTITY_ID).requestIssuer(asked.getIssuer().getValue())
        .assertionExpiration(300).subjectExpiration(300).sessionExpiration(36_000).sessionIndex(UUID.randomUUID() + "::" + UUID.randomUUID())
        .authMethod(JBossSAMLURIConstants.AC_UNSPECIFIED.get()).nameIdentifier(shape.nameIdFormat(), shape.nameId());
    ResponseType response = builder.buildModel();
    AttributeStatementType statement = new AttributeStatementType();
    shape.attributes().forEach((name, values) -> {
      // Keycloak's mapper of roles makes an attribute for each, unless told to make a single one.
      List<List<String>> groups = shape.repeatsAttributes() ? values.stream().map(List::of).toList() : List.of(values);
      for (List<String> group : groups) {
        AttributeType attribute = new AttributeType(name);
        attribute.setNameFormat(JBossSAMLURIConstants.ATTRIBUTE_FORMAT_BASIC.get());
        group.forEach(attribute::addAttributeValue);
        statement.addAttribute(new AttributeStatementType.ASTChoiceType(attribute));
      }
    });
    response.getAssertions().get(0).getAssertion().addStatement(statement);
    BaseSAML2BindingBuilder<?> binding = new BaseSAML2BindingBuilder<>();
    binding.signatureAlgorithm(shape.hash().equals("sha512") ? SignatureAlgorithm.RSA_SHA512 : SignatureAlgorithm.RSA_SHA256);
    binding.signWith(KEY_NAME, recording.keys(), recording.certificate());
    if (shape.signsResponse()) binding.signDocument();
    if (shape.signsAssertion()) binding.signAssertions();
    if (shape.encryption() != null) encrypt(binding, shape.encryption());
    String encoded = binding.postBinding(builder.buildDocument(response)).encoded();
    return new String(Base64.getDecoder().decode(encoded), StandardCharsets.UTF_8);
  }
}
