package io.csi4j.testkit.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.catalog.CatalogEntry;
import io.csi4j.volume.catalog.VolumeChange;
import io.csi4j.volume.catalog.VolumeSummary;
import io.csi4j.volume.catalog.view.VolumesView;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.state.seal.AesGcmSealer;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordWrite;
import io.csi4j.volume.store.local.LocalStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VolumeCommandsTest {

  private static final VolumeSpec SPEC =
      VolumeSpec.builder(PluginId.of("disk.example"))
          .use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.BLOCK)
          .parameters(Map.of("type", "hunter2"))
          .build();
  private static final VolumeKey DB = VolumeKey.of("db");

  @TempDir Path temp;

  private static VolumesView.Volume with(CatalogEntry entry, VolumesView.Work... work) {
    return new VolumesView.Volume(
        entry,
        new VolumeSummary.Written(
            7, Optional.of(Instant.ofEpochSecond(60)), Optional.of(Instant.ofEpochSecond(120))),
        Optional.empty(),
        List.of(work));
  }

  private static CatalogEntry creating() {
    return new CatalogEntry(DB, SPEC, Optional.of("csi4j-k7x2"), new CatalogEntry.State.Creating());
  }

  private static CatalogVolume there() {
    return CatalogVolume.builder(DB, SPEC, VolumeId.of("vol-1")).capacityBytes(1024).build();
  }

  @Test
  void aVolumeIsExplainedByWhatItWaitsFor() {
    assertThat(VolumeWords.reasons(with(creating(), new VolumesView.Work("CHANGE", 3, "cp-1"))))
        .containsExactly(
            "volume default/db: CREATING, unknown id, version 7",
            "  it was or will be requested from the plugin; no answer is recorded",
            "  a control plane repeats the request with the same name, which creates no second"
                + " volume",
            "  control plane 'cp-1' works on it: change, number 3",
            "    if that control plane has ended, another one takes the work over");
    CatalogEntry growing =
        new CatalogEntry(
                DB,
                SPEC,
                Optional.empty(),
                new CatalogEntry.State.Growing(there(), CapacityRange.atLeast(2048)))
            .with(new CatalogEntry.PendingSnapshot("night", new TreeMap<>(), new TreeSet<>()));
    assertThat(VolumeWords.reasons(with(growing)))
        .containsExactly(
            "volume default/db: GROWING, id 'vol-1', version 7",
            "  size at least 2048 bytes IN_PROGRESS",
            "    csi4j retries after growing pauses; resume retries at once. To replace the"
                + " change, expand to another size, but not below the present one; or abandon it.",
            "  snapshot 'night' was requested, and may exist without an answer");
    CatalogEntry refused =
        CatalogEntry.of(there(), Optional.empty())
            .refusing(
                new VolumeChange(
                    new VolumeChange.Request.Size(CapacityRange.atLeast(2048)),
                    VolumeChange.Progress.INFEASIBLE,
                    "no space is left",
                    Optional.of(Instant.EPOCH)));
    assertThat(VolumeWords.reasons(with(refused)))
        .contains("  size at least 2048 bytes INFEASIBLE", "    last result: no space is left");
    assertThat(VolumeWords.json(with(refused)))
        .hasToString(
            "{\"namespace\":\"default\",\"volume\":\"db\",\"version\":7,"
                + "\"created\":\"1970-01-01T00:01:00Z\",\"changed\":\"1970-01-01T00:02:00Z\","
                + "\"state\":\"PRESENT\","
                + "\"id\":\"vol-1\",\"plugin\":\"disk.example\",\"bytes\":1024,\"uses\":"
                + "[{\"mode\":\"SINGLE_NODE_WRITER\",\"attachment\":\"BLOCK\"}],\"parameters\":"
                + "[\"type\"],\"ephemeral\":false,\"changes\":[{\"request\":\"size at least 2048"
                + " bytes\",\"progress\":\"INFEASIBLE\",\"seen\":\"no space is left\",\"at\":"
                + "\"1970-01-01T00:00:00Z\"}],\"snapshots\":[],\"work\":[]}");
    assertThat(VolumeWords.lines(with(growing)))
        .containsExactly(
            "volume default/db: GROWING, id 'vol-1', version 7",
            "  plugin: disk.example",
            "  use: SINGLE_NODE_WRITER block",
            "  size: 1024 bytes",
            "  recorded since: 1970-01-01T00:01:00Z",
            "  last changed: 1970-01-01T00:02:00Z",
            "  parameters: type",
            "  pending: size at least 2048 bytes IN_PROGRESS",
            "  pending: snapshot 'night'");
  }

  @Test
  void aVolumeThatIsNotOnRecordIsNamed() {
    try (ManagedDirectory world = ManagedDirectory.open(temp)) {
      Run run = Run.of("volumes", "show", "none", "--directory", world.claims().toString());

      assertThat(run.code()).isEqualTo(ExitCode.USAGE);
      assertThat(run.errLines())
          .containsExactly("No volume 'none' is recorded there.", "See: csi4j volumes show --help");
      Run list =
          Run.of("volumes", "list", "--plugin", "other", "--directory", world.claims().toString());
      assertThat(list.outLines()).containsExactly("VOLUME  PLUGIN  ID  STATE  BYTES");
      Run object =
          Run.of("volumes", "show", "default/db", "--directory", world.claims() + "", "--json");
      assertThat(object.out())
          .startsWith("{\"namespace\":\"default\",\"volume\":\"db\",\"version\":")
          .doesNotContain("ssd");
    }
  }

  private static Run list(Path directory, String... more) {
    return Run.of(
        Stream.concat(
                Stream.of("volumes", "list", "--directory", directory.toString()), Stream.of(more))
            .toArray(String[]::new));
  }

  @Test
  void aListHasTheVolumesThatMatchAllOptions() {
    try (ManagedDirectory world = ManagedDirectory.open(temp)) {
      for (String[] matching :
          new String[][] {
            {"--plugin", "fake.csi4j.example"},
            {"--namespace", "default"},
            {"--prefix", "d"},
            {"--state", "present"},
            {"--state", "PRESENT"},
            {"--state", "creating", "--state", "present"}
          }) {
        Run run = list(world.claims(), matching);
        assertThat(run.code()).as(run.err()).isZero();
        assertThat(run.outLines()).as("%s", List.of(matching)).hasSize(2);
        assertThat(run.outLines().get(1)).startsWith("default/db  ");
      }
      for (String[] other :
          new String[][] {
            {"--plugin", "other"},
            {"--namespace", "shop"},
            {"--prefix", "default"},
            {"--state", "creating", "--state", "deleting"},
            {"--state", "present", "--prefix", "e"}
          }) {
        Run run = list(world.claims(), other);
        assertThat(run.code()).as(run.err()).isZero();
        assertThat(run.outLines()).as("%s", List.of(other)).hasSize(1);
      }
    }
  }

  @Test
  void aStateThatIsNoneAndANameThatCannotBeOneAreRefused() {
    Path directory = temp.resolve("store");
    LocalStore.open(directory).close();

    Run state = list(directory, "--state", "gone");
    Run name = list(directory, "--namespace", "");

    assertThat(state.code()).isEqualTo(ExitCode.USAGE);
    assertThat(state.errLines())
        .first()
        .isEqualTo("There is no state 'gone'. Write creating, present, growing or deleting.");
    assertThat(name.code()).isEqualTo(ExitCode.USAGE);
    assertThat(name.errLines()).hasSize(2).last().isEqualTo("See: csi4j volumes list --help");
  }

  @Test
  void aRecordThatCannotBeReadIsReportedAndHidesNoOther() {
    try (ManagedDirectory world = ManagedDirectory.open(temp)) {
      RecordKey broken = RecordKey.of(RecordKey.Space.VOLUMES, VolumeKey.of("broken"));
      try (LocalStore store = LocalStore.open(world.claims())) {
        assertThat(
                store.write(
                    new RecordWrite(
                        broken, Optional.empty(), Optional.of(StateValue.of(new byte[] {8, 9})))))
            .isNotNull();
      }

      Run run = Run.of("volumes", "list", "--directory", world.claims().toString());

      assertThat(run.code()).isEqualTo(ExitCode.FAILED);
      assertThat(run.outLines()).hasSize(2).last().asString().startsWith("default/db  ");
      assertThat(run.errLines())
          .singleElement()
          .asString()
          .startsWith("Reading the record of volume 'default/broken' failed: ");
    }
  }

  @Test
  void volumesAreListedByTheTimeForWhichTheyAreUnused() {
    Path directory = temp.resolve("store");
    LocalStore.open(directory).close();
    try (ManagedDirectory world = ManagedDirectory.open(temp)) {
      String claims = world.claims().toString();
      Run used = Run.of("volumes", "list", "--unused-for", "1ms", "--directory", claims);
      assertThat(used.code()).isZero();
      assertThat(used.outLines()).as("its only volume is used").hasSize(1);

      world.released();

      Run unused = Run.of("volumes", "list", "--unused-for", "1ms", "--directory", claims);
      assertThat(unused.outLines()).hasSize(2);
      assertThat(unused.outLines().get(0)).contains("UNUSED SINCE");
      assertThat(unused.outLines().get(1)).startsWith("default/db  ").contains("T", "Z");
      assertThat(Run.of("volumes", "list", "--unused-for", "1d", "--directory", claims).outLines())
          .as("it was used a moment ago")
          .hasSize(1);
      assertThat(Run.of("volumes", "show", "db", "--directory", claims).out())
          .contains("  unused since: 20");
    }
    Run without =
        Run.of("volumes", "list", "--unused-for", "90d", "--directory", directory.toString());
    assertThat(without.code()).isEqualTo(ExitCode.USAGE);
    assertThat(without.errLines())
        .startsWith("The store has no claims, so it does not show since when volumes are unused.");
  }

  @Test
  void aSealedDirectoryIsReadWithItsKeysAlone() throws IOException {
    Path keys = temp.resolve("keys");
    Files.writeString(
        Files.createFile(
            keys,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))),
        "k1 " + "A".repeat(43) + "=\n");
    Path directory = temp.resolve("sealed");
    RecordKey key = RecordKey.of(RecordKey.Space.VOLUMES, VolumeKey.of("broken"));
    try (LocalStore store = LocalStore.open(directory, AesGcmSealer.fromFile(keys))) {
      assertThat(
              store.write(
                  new RecordWrite(
                      key, Optional.empty(), Optional.of(StateValue.of(new byte[] {8, 9})))))
          .isNotNull();
    }

    Run without = Run.of("volumes", "list", "--directory", directory.toString());
    Run with =
        Run.of(
            "volumes", "list", "--directory", directory.toString(), "--key-file", keys.toString());

    assertThat(without.code()).isEqualTo(ExitCode.NO_CONNECTION);
    assertThat(without.errLines())
        .containsExactly(
            "Reading the records in " + directory + " failed: they are sealed. Configure the key.");
    assertThat(with.code()).isEqualTo(ExitCode.FAILED);
    assertThat(with.err()).startsWith("Reading the record of volume 'default/broken' failed: ");
  }

  @Test
  void aWatchPrintsTheVolumesThatHaveChanged() {
    Path directory = temp.resolve("store");
    LocalStore.open(directory).close();
    try (Run watch =
        Run.serving(
            "claims",
            "list",
            "--all",
            "--directory",
            directory.toString(),
            "--watch",
            "--every",
            "20ms")) {
      watch.awaitOut("EPOCH\n");
      ManagedDirectory.claimed(directory);
      watch.awaitOut("TAKEN");
      watch.ended();
      assertThat(watch.code()).isZero();
      List<String> lines = watch.outLines();
      assertThat(lines).hasSize(4);
      assertThat(lines.get(1)).startsWith("--- 20");
      assertThat(lines.get(3))
          .isEqualTo("default/db  SINGLE_NODE_WRITER  web-1      n1     TAKEN  1");
    }
  }
}
