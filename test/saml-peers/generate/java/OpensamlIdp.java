import java.io.InputStream;
import java.nio.file.Files;
import java.security.Security;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import javax.xml.namespace.QName;
import javax.xml.transform.stream.StreamSource;
import net.shibboleth.utilities.java.support.xml.BasicParserPool;
import net.shibboleth.utilities.java.support.xml.SerializeSupport;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.opensaml.core.config.ConfigurationService;
import org.opensaml.core.config.InitializationService;
import org.opensaml.core.xml.XMLObject;
import org.opensaml.core.xml.config.XMLObjectProviderRegistry;
import org.opensaml.core.xml.config.XMLObjectProviderRegistrySupport;
import org.opensaml.core.xml.schema.XSAny;
import org.opensaml.core.xml.schema.XSString;
import org.opensaml.core.xml.util.XMLObjectSupport;
import org.opensaml.saml.common.SAMLObjectContentReference;
import org.opensaml.saml.common.SignableSAMLObject;
import org.opensaml.saml.common.xml.SAMLConstants;
import org.opensaml.saml.common.xml.SAMLSchemaBuilder;
import org.opensaml.saml.saml2.core.*;
import org.opensaml.saml.saml2.metadata.EntityDescriptor;
import org.opensaml.saml.saml2.metadata.IDPSSODescriptor;
import org.opensaml.saml.saml2.metadata.KeyDescriptor;
import org.opensaml.saml.saml2.metadata.SingleSignOnService;
import org.opensaml.saml.saml2.encryption.Encrypter;
import org.opensaml.security.credential.UsageType;
import org.opensaml.security.x509.BasicX509Credential;
import org.opensaml.security.x509.X509Support;
import org.opensaml.xmlsec.crypto.XMLSigningUtil;
import org.opensaml.xmlsec.encryption.support.DataEncryptionParameters;
import org.opensaml.xmlsec.encryption.support.KeyEncryptionParameters;
import org.opensaml.xmlsec.encryption.support.RSAOAEPParameters;
import org.opensaml.xmlsec.keyinfo.impl.X509KeyInfoGeneratorFactory;
import org.opensaml.xmlsec.signature.KeyInfo;
import org.opensaml.xmlsec.signature.Signature;
import org.opensaml.xmlsec.signature.X509Certificate;
import org.opensaml.xmlsec.signature.support.SignatureConstants;
import org.opensaml.xmlsec.signature.support.Signer;

/** An identity provider of OpenSAML: `describe FOLDER` makes a key and metadata, `answer FOLDER` checks the request there and answers it in every shape. */
public final class OpensamlIdp {
  private static final String ENTITY_ID = "https://opensaml.example.com/idp/shibboleth";
  private static final String SSO_URL = "https://opensaml.example.com/idp/profile/SAML2/Redirect/SSO";

  private final Recording recording;
  private final BasicX509Credential rsa;
  private final BasicX509Credential ec;

  public static void main(String[] arguments) throws Exception {
    // Java itself does not know PSS by the names that XML signatures have for it.
    Security.addProvider(new BouncyCastleProvider());
    InitializationService.initialize();
    BasicParserPool parsers = new BasicParserPool();
    parsers.initialize();
    ConfigurationService.get(XMLObjectProviderRegistry.class).setParserPool(parsers);
    Recording recording = new Recording(arguments[1]);
    boolean describes = arguments[0].equals("describe");
    if (describes) recording.makeKeys("opensaml");
    OpensamlIdp idp = new OpensamlIdp(recording);
    if (describes) idp.describe();
    else idp.answer();
  }

  private OpensamlIdp(Recording recording) throws Exception {
    this.recording = recording;
    this.rsa = credential("key");
    this.ec = credential("ec");
  }

  private BasicX509Credential credential(String alias) throws Exception {
    BasicX509Credential credential = new BasicX509Credential(recording.certificate(alias), recording.privateKey(alias));
    credential.setEntityId(ENTITY_ID);
    return credential;
  }

  private void describe() throws Exception {
    EntityDescriptor entity = make(EntityDescriptor.DEFAULT_ELEMENT_NAME);
    IDPSSODescriptor role = make(IDPSSODescriptor.DEFAULT_ELEMENT_NAME);
    role.addSupportedProtocol(SAMLConstants.SAML20P_NS);
    role.setWantAuthnRequestsSigned(true);
    for (BasicX509Credential credential : List.of(rsa, ec)) {
      KeyDescriptor key = make(KeyDescriptor.DEFAULT_ELEMENT_NAME);
      key.setUse(UsageType.SIGNING);
      key.setKeyInfo(keyInfo(credential));
      role.getKeyDescriptors().add(key);
    }
    for (String binding : List.of(SAMLConstants.SAML2_REDIRECT_BINDING_URI, SAMLConstants.SAML2_POST_BINDING_URI)) {
      SingleSignOnService service = make(SingleSignOnService.DEFAULT_ELEMENT_NAME);
      service.setBinding(binding);
      service.setLocation(SSO_URL);
      role.getSingleSignOnServices().add(service);
    }
    entity.setEntityID(ENTITY_ID);
    entity.getRoleDescriptors().add(role);
    recording.write("metadata", SerializeSupport.prettyPrintXML(XMLObjectSupport.marshall(entity)));
  }

  private void answer() throws Exception {
    EntityDescriptor us = read("sp-metadata.xml");
    try (InputStream in = Files.newInputStream(recording.folder.resolve("sp-metadata.xml"))) {
      new SAMLSchemaBuilder(SAMLSchemaBuilder.SAML1Version.SAML_11).getSAMLSchema().newValidator().validate(new StreamSource(in));
      System.out.println("the metadata is valid by its schema");
    }
    AuthnRequest asked = read("request.xml");
    if (!isSigned(recording.query(), us)) throw new IllegalStateException("the signature does not hold");
    System.out.println(asked.getIssuer().getValue() + " signed " + asked.getID() + ": verified");
    if (isSigned(recording.query().altered(), us)) throw new IllegalStateException("an altered request was accepted");
    for (Map.Entry<String, Recording.Shape> each : recording.shapes().entrySet()) recording.write(each.getKey(), respond(asked, each.getValue(), us));
  }

  private static BasicX509Credential keyFor(UsageType use, EntityDescriptor us) throws Exception {
    for (KeyDescriptor key : us.getSPSSODescriptor(SAMLConstants.SAML20P_NS).getKeyDescriptors()) {
      if (key.getUse() != use) continue;
      X509Certificate certificate = key.getKeyInfo().getX509Datas().get(0).getX509Certificates().get(0);
      return new BasicX509Credential(X509Support.decodeCertificate(certificate.getValue()));
    }
    throw new IllegalStateException("no key for " + use);
  }

  private static boolean isSigned(Recording.Query query, EntityDescriptor us) throws Exception {
    return XMLSigningUtil.verifyWithURI(keyFor(UsageType.SIGNING, us), query.algorithm(), query.signature(), query.signed());
  }

  private String respond(AuthnRequest asked, Recording.Shape shape, EntityDescriptor us) throws Exception {
    Instant now = Instant.now();
    Response response = make(Response.DEFAULT_ELEMENT_NAME);
    response.setID("_" + UUID.randomUUID().toString().replace("-", ""));
    response.setIssueInstant(now);
    response.setInResponseTo(asked.getID());
    response.setDestination(asked.getAssertionConsumerServiceURL());
    response.setIssuer(issuer());
    StatusCode code = make(StatusCode.DEFAULT_ELEMENT_NAME);
    code.setValue(StatusCode.SUCCESS);
    Status status = make(Status.DEFAULT_ELEMENT_NAME);
    status.setStatusCode(code);
    response.setStatus(status);
    Assertion assertion = assertion(asked, shape, now);
    if (shape.signsAssertion()) prepare(assertion, shape);
    if (shape.signsResponse()) prepare(response, shape);
    if (shape.encryption() == null) response.getAssertions().add(assertion);
    XMLObjectSupport.marshall(shape.encryption() == null ? response : assertion);
    if (shape.signsAssertion()) Signer.signObject(assertion.getSignature());
    if (shape.encryption() != null) {
      response.getEncryptedAssertions().add(encrypt(assertion, shape.encryption(), us));
      XMLObjectSupport.marshall(response);
    }
    if (shape.signsResponse()) Signer.signObject(response.getSignature());
    return SerializeSupport.nodeToString(response.getDOM());
  }

  private static EncryptedAssertion encrypt(Assertion assertion, Recording.Encryption encryption, EntityDescriptor us) throws Exception {
    DataEncryptionParameters content = new DataEncryptionParameters();
    content.setAlgorithm(encryption.contentUri());
    KeyEncryptionParameters transport = new KeyEncryptionParameters();
    transport.setEncryptionCredential(keyFor(UsageType.ENCRYPTION, us));
    transport.setAlgorithm(encryption.transportUri());
    transport.setRSAOAEPParameters(new RSAOAEPParameters(encryption.digestUri(), encryption.isSha1() ? null : encryption.maskUri(), null));
    X509KeyInfoGeneratorFactory factory = new X509KeyInfoGeneratorFactory();
    factory.setEmitEntityCertificate(true);
    transport.setKeyInfoGenerator(factory.newInstance());
    Encrypter encrypter = new Encrypter(content, transport);
    encrypter.setKeyPlacement(encryption.place().equals("beside") ? Encrypter.KeyPlacement.PEER : Encrypter.KeyPlacement.INLINE);
    return encrypter.encrypt(assertion);
  }

  private Assertion assertion(AuthnRequest asked, Recording.Shape shape, Instant now) throws Exception {
    Assertion assertion = make(Assertion.DEFAULT_ELEMENT_NAME);
    assertion.setID("_" + UUID.randomUUID().toString().replace("-", ""));
    assertion.setIssueInstant(now);
    assertion.setIssuer(issuer());
    assertion.setSubject(subject(asked, shape, now));
    Audience audience = make(Audience.DEFAULT_ELEMENT_NAME);
    audience.setURI(asked.getIssuer().getValue());
    AudienceRestriction restriction = make(AudienceRestriction.DEFAULT_ELEMENT_NAME);
    restriction.getAudiences().add(audience);
    Conditions conditions = make(Conditions.DEFAULT_ELEMENT_NAME);
    conditions.setNotBefore(now);
    conditions.setNotOnOrAfter(now.plusSeconds(300));
    conditions.getAudienceRestrictions().add(restriction);
    assertion.setConditions(conditions);
    AuthnContextClassRef reference = make(AuthnContextClassRef.DEFAULT_ELEMENT_NAME);
    reference.setURI(AuthnContext.PPT_AUTHN_CTX);
    AuthnContext context = make(AuthnContext.DEFAULT_ELEMENT_NAME);
    context.setAuthnContextClassRef(reference);
    AuthnStatement statement = make(AuthnStatement.DEFAULT_ELEMENT_NAME);
    statement.setAuthnInstant(now);
    statement.setSessionIndex("_" + UUID.randomUUID());
    statement.setAuthnContext(context);
    assertion.getAuthnStatements().add(statement);
    assertion.getAttributeStatements().add(attributes(shape));
    return assertion;
  }

  private Subject subject(AuthnRequest asked, Recording.Shape shape, Instant now) throws Exception {
    NameID name = make(NameID.DEFAULT_ELEMENT_NAME);
    name.setFormat(shape.nameIdFormat());
    name.setNameQualifier(ENTITY_ID);
    name.setSPNameQualifier(asked.getIssuer().getValue());
    name.setValue(shape.nameId());
    SubjectConfirmationData data = make(SubjectConfirmationData.DEFAULT_ELEMENT_NAME);
    data.setAddress("192.0.2.7");
    data.setInResponseTo(asked.getID());
    data.setRecipient(asked.getAssertionConsumerServiceURL());
    data.setNotOnOrAfter(now.plusSeconds(300));
    SubjectConfirmation confirmation = make(SubjectConfirmation.DEFAULT_ELEMENT_NAME);
    confirmation.setMethod(SubjectConfirmation.METHOD_BEARER);
    confirmation.setSubjectConfirmationData(data);
    Subject subject = make(Subject.DEFAULT_ELEMENT_NAME);
    subject.setNameID(name);
    subject.getSubjectConfirmations().add(confirmation);
    return subject;
  }

  private AttributeStatement attributes(Recording.Shape shape) throws Exception {
    AttributeStatement statement = make(AttributeStatement.DEFAULT_ELEMENT_NAME);
    for (Map.Entry<String, List<String>> each : shape.attributes().entrySet()) {
      Attribute attribute = make(Attribute.DEFAULT_ELEMENT_NAME);
      attribute.setName(each.getKey());
      attribute.setNameFormat(Attribute.URI_REFERENCE);
      for (String text : each.getValue()) attribute.getAttributeValues().add(shape.isTyped() ? typed(text) : untyped(text));
      statement.getAttributes().add(attribute);
    }
    return statement;
  }

  private static XMLObject typed(String text) {
    XSString value = (XSString) XMLObjectProviderRegistrySupport.getBuilderFactory().getBuilderOrThrow(XSString.TYPE_NAME)
        .buildObject(AttributeValue.DEFAULT_ELEMENT_NAME, XSString.TYPE_NAME);
    value.setValue(text);
    return value;
  }

  private static XMLObject untyped(String text) {
    XSAny value = (XSAny) XMLObjectProviderRegistrySupport.getBuilderFactory().getBuilderOrThrow(XSAny.TYPE_NAME)
        .buildObject(AttributeValue.DEFAULT_ELEMENT_NAME);
    value.setTextContent(text);
    return value;
  }

  private void prepare(SignableSAMLObject object, Recording.Shape shape) throws Exception {
    boolean is512 = shape.hash().equals("sha512");
    BasicX509Credential credential = shape.scheme().equals("ecdsa") ? ec : rsa;
    Signature signature = make(Signature.DEFAULT_ELEMENT_NAME);
    signature.setSigningCredential(credential);
    signature.setSignatureAlgorithm(switch (shape.scheme()) {
      case "pss" -> "http://www.w3.org/2007/05/xmldsig-more#" + shape.hash() + "-rsa-MGF1";
      case "ecdsa" -> "http://www.w3.org/2001/04/xmldsig-more#ecdsa-" + shape.hash();
      default -> "http://www.w3.org/2001/04/xmldsig-more#rsa-" + shape.hash();
    });
    signature.setCanonicalizationAlgorithm(SignatureConstants.ALGO_ID_C14N_EXCL_OMIT_COMMENTS);
    signature.setKeyInfo(keyInfo(credential));
    object.setSignature(signature);
    SAMLObjectContentReference reference = (SAMLObjectContentReference) signature.getContentReferences().get(0);
    reference.setDigestAlgorithm(is512 ? SignatureConstants.ALGO_ID_DIGEST_SHA512 : SignatureConstants.ALGO_ID_DIGEST_SHA256);
  }

  private static KeyInfo keyInfo(BasicX509Credential credential) throws Exception {
    X509KeyInfoGeneratorFactory factory = new X509KeyInfoGeneratorFactory();
    factory.setEmitEntityCertificate(true);
    return factory.newInstance().generate(credential);
  }

  private static Issuer issuer() {
    Issuer issuer = make(Issuer.DEFAULT_ELEMENT_NAME);
    issuer.setValue(ENTITY_ID);
    return issuer;
  }

  @SuppressWarnings("unchecked")
  private <T extends XMLObject> T read(String name) throws Exception {
    try (InputStream in = Files.newInputStream(recording.folder.resolve(name))) {
      return (T) XMLObjectSupport.unmarshallFromInputStream(XMLObjectProviderRegistrySupport.getParserPool(), in);
    }
  }

  @SuppressWarnings("unchecked")
  private static <T extends XMLObject> T make(QName name) {
    return (T) XMLObjectProviderRegistrySupport.getBuilderFactory().getBuilderOrThrow(name).buildObject(name);
  }
}
