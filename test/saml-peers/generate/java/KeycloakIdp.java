import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.keycloak.dom.saml.v2.assertion.AttributeStatementType;
import org.keycloak.dom.saml.v2.assertion.AttributeType;
import org.keycloak.dom.saml.v2.metadata.EndpointType;
import org.keycloak.dom.saml.v2.metadata.EntityDescriptorType;
import org.keycloak.dom.saml.v2.metadata.IDPSSODescriptorType;
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
import org.keycloak.saml.processing.api.saml.v2.sig.SAML2Signature;
import org.keycloak.saml.processing.core.parsers.saml.SAMLParser;
import org.keycloak.saml.processing.core.saml.v2.common.SAMLDocumentHolder;
import org.keycloak.saml.processing.core.saml.v2.util.SAMLMetadataUtil;
import org.keycloak.saml.processing.core.saml.v2.writers.SAMLMetadataWriter;

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
      recording.makeKey("keycloak");
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
    if (!isSigned(request)) throw new IllegalStateException("the signature does not hold");
    AuthnRequestType asked = (AuthnRequestType) parse(request).getSamlObject();
    System.out.println(asked.getIssuer().getValue() + " signed " + asked.getID() + ": verified");
    byte[] altered = new String(request, StandardCharsets.UTF_8).replace("/acs", "/acz").getBytes(StandardCharsets.UTF_8);
    if (isSigned(altered)) throw new IllegalStateException("an altered request was accepted");
    System.out.println("altered: refused");
    for (Map.Entry<String, Recording.Shape> each : recording.shapes().entrySet()) recording.write(each.getKey(), respond(asked, each.getValue()));
  }

  private static SAMLDocumentHolder parse(byte[] request) {
    return SAMLRequestParser.parseRequestPostBinding(Base64.getEncoder().encodeToString(request));
  }

  private boolean isSigned(byte[] request) throws Exception {
    try (InputStream in = Files.newInputStream(recording.folder.resolve("sp-metadata.xml"))) {
      EntityDescriptorType us = (EntityDescriptorType) SAMLParser.getInstance().parse(in);
      SPSSODescriptorType role = us.getChoiceType().get(0).getDescriptors().get(0).getSpDescriptor();
      HardcodedKeyLocator key = new HardcodedKeyLocator(SAMLMetadataUtil.getCertificate(role.getKeyDescriptor().get(0)).getPublicKey());
      return new SAML2Signature().validate(parse(request).getSamlDocument(), key);
    }
  }

  private String respond(AuthnRequestType asked, Recording.Shape shape) throws Exception {
    SAML2LoginResponseBuilder builder = new SAML2LoginResponseBuilder().requestID(asked.getID())
        .destination(asked.getAssertionConsumerServiceURL().toString()).issuer(ENTITY_ID).requestIssuer(asked.getIssuer().getValue())
        .assertionExpiration(300).subjectExpiration(300).sessionExpiration(36_000).sessionIndex(UUID.randomUUID() + "::" + UUID.randomUUID())
        .authMethod(JBossSAMLURIConstants.AC_UNSPECIFIED.get()).nameIdentifier(shape.nameIdFormat(), shape.nameId());
    ResponseType response = builder.buildModel();
    AttributeStatementType statement = new AttributeStatementType();
    shape.attributes().forEach((name, values) -> {
      AttributeType attribute = new AttributeType(name);
      attribute.setNameFormat(JBossSAMLURIConstants.ATTRIBUTE_FORMAT_BASIC.get());
      values.forEach(attribute::addAttributeValue);
      statement.addAttribute(new AttributeStatementType.ASTChoiceType(attribute));
    });
    response.getAssertions().get(0).getAssertion().addStatement(statement);
    BaseSAML2BindingBuilder<?> binding = new BaseSAML2BindingBuilder<>();
    binding.signatureAlgorithm(shape.hash().equals("sha512") ? SignatureAlgorithm.RSA_SHA512 : SignatureAlgorithm.RSA_SHA256);
    binding.signWith(KEY_NAME, recording.keys(), recording.certificate());
    if (shape.signsResponse()) binding.signDocument();
    if (shape.signsAssertion()) binding.signAssertions();
    String encoded = binding.postBinding(builder.buildDocument(response)).encoded();
    return new String(Base64.getDecoder().decode(encoded), StandardCharsets.UTF_8);
  }
}
