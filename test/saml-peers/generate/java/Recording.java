import java.io.FileInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the recorders in Java share: a key with its certificate, and the shapes. */
final class Recording {
  private static final char[] PASSWORD = "changeit".toCharArray();

  record Shape(String signs, String hash, boolean isTyped, String nameId, String nameIdFormat, Map<String, List<String>> attributes) {
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

  void makeKey(String name) throws Exception {
    Process process = new ProcessBuilder("keytool", "-genkeypair", "-alias", "key", "-keyalg", "RSA", "-keysize", "2048", "-validity", "3650",
        "-dname", "CN=" + name, "-storetype", "PKCS12", "-storepass", new String(PASSWORD), "-keystore", store().toString()).inheritIO().start();
    if (process.waitFor() != 0) throw new IllegalStateException("no key was made");
  }

  X509Certificate certificate() throws Exception {
    return (X509Certificate) open().getCertificate("key");
  }

  KeyPair keys() throws Exception {
    return new KeyPair(certificate().getPublicKey(), (PrivateKey) open().getKey("key", PASSWORD));
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
    plain.forEach((name, said) -> shapes.put(name, new Shape(said.get("signs"), said.get("hash"), said.get("isTyped").equals("true"),
        said.get("nameId"), said.get("nameIdFormat"), attributes.get(name))));
    return shapes;
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
