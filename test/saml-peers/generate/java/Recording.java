import java.io.FileInputStream;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the recorders in Java share: a key with its certificate, and the shapes. */
final class Recording {
  private static final char[] PASSWORD = "changeit".toCharArray();

  /** How the assertion is encrypted: the last part of the content's algorithm, the hash of RSA-OAEP, and where the key stands. */
  record Encryption(String content, String oaep, String place) {
    boolean isGcm() {
      return content.endsWith("gcm");
    }

    String contentUri() {
      return (isGcm() ? "http://www.w3.org/2009/xmlenc11#" : "http://www.w3.org/2001/04/xmlenc#") + content;
    }

    boolean isSha1() {
      return oaep.equals("sha1");
    }

    String transportUri() {
      return isSha1() ? "http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p" : "http://www.w3.org/2009/xmlenc11#rsa-oaep";
    }

    String digestUri() {
      return (isSha1() ? "http://www.w3.org/2000/09/xmldsig#" : "http://www.w3.org/2001/04/xmlenc#") + oaep;
    }

    String maskUri() {
      return "http://www.w3.org/2009/xmlenc11#mgf1" + oaep;
    }
  }

  /** A request as a browser sends it: what was signed, and by what. */
  record Query(byte[] signed, String algorithm, byte[] signature) {
    Query altered() {
      return new Query(new String(signed, StandardCharsets.US_ASCII).replace("RelayState=", "RelayState=x").getBytes(StandardCharsets.US_ASCII), algorithm, signature);
    }
  }

  /** Where `encryption` is null the assertion is sent as it is. */
  record Shape(String signs, String hash, String scheme, boolean isTyped, boolean repeatsAttributes, String nameId, String nameIdFormat,
      Map<String, List<String>> attributes, Encryption encryption) {
    boolean signsResponse() {
      return !signs.equals("assertion");
    }

    boolean signsAssertion() {
      return !signs.equals("response");
    }
  }

  final Path folder;

  Recording(String folder) {
    this.folder = Path.of(folder);
  }

  void makeKeys(String name) throws Exception {
    makeKey("key", name, "-keyalg", "RSA", "-keysize", "2048");
    makeKey("ec", name, "-keyalg", "EC", "-groupname", "secp384r1");
  }

  private void makeKey(String alias, String name, String... kind) throws Exception {
    List<String> command = new ArrayList<>(List.of("keytool", "-genkeypair", "-alias", alias, "-validity", "3650", "-dname", "CN=" + name,
        "-storetype", "PKCS12", "-storepass", new String(PASSWORD), "-keystore", store().toString()));
    command.addAll(List.of(kind));
    Process process = new ProcessBuilder(command).inheritIO().start();
    if (process.waitFor() != 0) throw new IllegalStateException("no key was made");
  }

  X509Certificate certificate() throws Exception {
    return certificate("key");
  }

  KeyPair keys() throws Exception {
    return new KeyPair(certificate().getPublicKey(), privateKey("key"));
  }

  /** Of `key`, which is RSA, or `ec`, on P-384. */
  X509Certificate certificate(String alias) throws Exception {
    return (X509Certificate) open().getCertificate(alias);
  }

  PrivateKey privateKey(String alias) throws Exception {
    return (PrivateKey) open().getKey(alias, PASSWORD);
  }

  Map<String, Shape> shapes() throws Exception {
    Map<String, Map<String, String>> plain = new LinkedHashMap<>();
    Map<String, Map<String, List<String>>> attributes = new LinkedHashMap<>();
    for (String line : Files.readAllLines(folder.resolve("shapes.tsv"))) {
      String[] fact = line.split("\t");
      Map<String, List<String>> ofShape = attributes.computeIfAbsent(fact[0], (name) -> new LinkedHashMap<>());
      if (fact[1].equals("attribute")) ofShape.computeIfAbsent(fact[2], (name) -> new ArrayList<>()).add(fact[3]);
      else plain.computeIfAbsent(fact[0], (name) -> new LinkedHashMap<>()).put(fact[1], fact[2]);
    }
    Map<String, Shape> shapes = new LinkedHashMap<>();
    plain.forEach((name, said) -> shapes.put(name, new Shape(said.get("signs"), said.get("hash"), said.get("scheme"), said.get("isTyped").equals("true"),
        said.get("repeatsAttributes").equals("true"), said.get("nameId"), said.get("nameIdFormat"), attributes.get(name),
        said.containsKey("content") ? new Encryption(said.get("content"), said.get("oaep"), said.get("place")) : null)));
    return shapes;
  }

  Query query() throws Exception {
    String query = Files.readString(folder.resolve("query.txt"));
    int end = query.indexOf("&Signature=");
    String signed = query.substring(0, end);
    String algorithm = URLDecoder.decode(signed.substring(signed.indexOf("&SigAlg=") + "&SigAlg=".length()), StandardCharsets.UTF_8);
    String signature = URLDecoder.decode(query.substring(end + "&Signature=".length()), StandardCharsets.UTF_8);
    return new Query(signed.getBytes(StandardCharsets.US_ASCII), algorithm, Base64.getDecoder().decode(signature));
  }

  void write(String name, String xml) throws Exception {
    Files.writeString(folder.resolve(name + ".xml"), xml);
  }

  private Path store() {
    return folder.resolve("key.p12");
  }

  private KeyStore open() throws Exception {
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (FileInputStream in = new FileInputStream(store().toFile())) {
      keys.load(in, PASSWORD);
    }
    return keys;
  }
}
