package io.csi4j.testkit.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClaimCommandsTest {

  @TempDir Path temp;

  @Test
  void claimsAreListedShownAndExplainedAsJsonToo() {
    try (ManagedDirectory world = ManagedDirectory.open(temp)) {
      String claims = world.claims().toString();
      Run list = Run.of("claims", "list", "--directory", claims, "--json");
      Run show = Run.of("claims", "show", "default/db", "--directory", claims, "--json");

      assertThat(list.code()).as(list.err()).isZero();
      assertThat(list.outLines())
          .singleElement()
          .asString()
          .startsWith(
              "{\"namespace\":\"default\",\"volume\":\"db\",\"mode\":\"SINGLE_NODE_WRITER\",")
          .contains("\"holders\":[{\"workload\":\"web-1\",\"node\":\"n1\"");
      assertThat(show.out()).isEqualTo(list.out());
    }
  }

  @Test
  void aVolumeThatWasNeverClaimedIsNamed() {
    try (ManagedDirectory world = ManagedDirectory.open(temp)) {
      Run run = Run.of("claims", "explain", "none", "--directory", world.claims().toString());

      assertThat(run.code()).isEqualTo(ExitCode.USAGE);
      assertThat(run.err()).startsWith("Volume 'none' was never claimed there.");
    }
  }

  @Test
  void onePlaceHasToBeNamedAndHasToHoldClaims() {
    assertThat(Run.of("claims", "list").err())
        .startsWith("Say where the store is: write --directory DIR, --etcd URL or --jdbc URL.");
    Run nothing = Run.of("claims", "list", "--directory", temp.toString());
    assertThat(nothing.code()).isEqualTo(ExitCode.NO_CONNECTION);
    assertThat(temp).isEmptyDirectory();
    try (ManagedDirectory world = ManagedDirectory.open(temp)) {
      Run manager =
          Run.of("claims", "list", "--directory", world.root().resolve("state").toString());
      assertThat(manager.code()).isEqualTo(ExitCode.USAGE);
      assertThat(manager.err()).contains("it belongs to a volume manager");
      Run directory = Run.of("claims", "list", "--directory", world.root().toString());
      assertThat(directory.code()).isEqualTo(ExitCode.USAGE);
      assertThat(directory.errLines())
          .startsWith(
              "Reading the records in "
                  + world.root()
                  + " failed: it is the directory of a volume manager. Use the directory of a"
                  + " LocalStore.");
    }
  }

  @Test
  void anEtcdThatIsNotThereIsToldAsThat() {
    Run run = Run.of("claims", "list", "--etcd", "http://127.0.0.1:1");

    assertThat(run.code()).isEqualTo(ExitCode.NO_CONNECTION);
    assertThat(run.errLines()).singleElement().asString().startsWith("Opening the store failed: ");
  }
}
