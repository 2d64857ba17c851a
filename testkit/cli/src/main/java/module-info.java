/** The testkit as a program. */
@SuppressWarnings("requires-automatic")
module io.csi4j.testkit.cli {
  requires static org.jspecify;
  requires io.csi4j.client;
  requires io.csi4j.conformance;
  requires io.csi4j.testkit;
  requires info.picocli;

  opens io.csi4j.testkit.cli to
      info.picocli;
}
