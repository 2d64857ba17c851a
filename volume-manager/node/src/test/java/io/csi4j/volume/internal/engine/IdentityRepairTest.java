package io.csi4j.volume.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.VolumeId;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.disk.RealDisk;
import io.csi4j.volume.internal.layout.VolumeDirectories;
import io.csi4j.volume.internal.layout.VolumeLayout;
import io.csi4j.volume.internal.path.PathProblem;
import io.csi4j.volume.internal.record.PathRecord;
import io.csi4j.volume.internal.record.Place;
import io.csi4j.volume.internal.record.Plan;
import io.csi4j.volume.internal.record.RecordCodec;
import io.csi4j.volume.internal.record.Tombstone;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.PathStatus;
import io.csi4j.volume.state.JournalSettings;
import io.csi4j.volume.state.StateStore;
import io.csi4j.volume.state.StateStore.Durability;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.state.journal.JournalStateStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** At the start, an identity file that the state can replace is replaced, and no other one. */
class IdentityRepairTest {

  private static final VolumeIdentity KNOWN = volume("known");
  private static final Plan PLAN = new Plan(true, false, AccessMode.SINGLE_NODE_WRITER, "", "", "");
  private static final VolumeIdentity UNKNOWN = volume("unknown");

  @TempDir Path temporary;
  private Path root;
  private VolumeLayout layout;
  private VolumeDirectories directories;

  private static VolumeIdentity volume(String handle) {
    return new VolumeIdentity(PluginId.of("hostpath.csi"), VolumeId.of(handle));
  }

  @BeforeEach
  void begin() throws IOException, PathProblem {
    root = temporary.toRealPath().resolve("root");
    layout = new VolumeLayout(MountPath.of(root));
    directories = new VolumeDirectories(new RealDisk(), layout);
    directories.prepareRoot();
    directories.prepareVolume(KNOWN);
    remember("");
  }

  /** Has the volume on record that is known, as it was in this boot. */
  private void remember(String boot) {
    try (StateStore state =
        JournalStateStore.open(layout.state().toPath(), JournalSettings.builder().build())) {
      state.put(
          layout.key(KNOWN),
          RecordCodec.encode(
              VolumeRecord.fresh(KNOWN, PLAN, new Place(boot, 0))
                  .withStaging(PathRecord.NONE.as(PathStatus.IN_DOUBT))),
          Durability.REQUIRED);
    }
  }

  private List<OperatorMessage> found() {
    try (VolumeManager manager = VolumeManager.builder(root).open()) {
      return manager.recovered().findings().stream()
          .filter(
              message ->
                  message.code() == OperatorCode.SIDECAR_REPAIRED
                      || message.code() == OperatorCode.WRONG_IDENTITY)
          .toList();
    }
  }

  private Path who(VolumeIdentity identity) {
    return layout.who(identity).toPath();
  }

  @Test
  @Tag("G5")
  void aDamagedOneOfAVolumeThatIsRememberedIsWrittenAgainAndTold() throws IOException {
    byte[] whole = Files.readAllBytes(who(KNOWN));
    Files.write(who(KNOWN), new byte[] {1});

    assertThat(found())
        .as("G5: written again from the record, and told")
        .singleElement()
        .satisfies(
            message -> {
              assertThat(message.code()).isEqualTo(OperatorCode.SIDECAR_REPAIRED);
              assertThat(message.toString())
                  .contains("'" + who(KNOWN) + "' was damaged and was rewritten");
            });
    assertThat(who(KNOWN)).as("G5: as it was").hasBinaryContent(whole);
    assertThat(found()).isEmpty();
  }

  @Test
  void aMissingOneOfAVolumeThatIsRememberedIsWrittenAgainAndTold() throws IOException {
    byte[] whole = Files.readAllBytes(who(KNOWN));
    Files.delete(who(KNOWN));

    assertThat(found())
        .extracting(OperatorMessage::code)
        .containsExactly(OperatorCode.SIDECAR_REPAIRED);
    assertThat(who(KNOWN)).hasBinaryContent(whole);
  }

  @Test
  void oneOfAVolumeThatNobodyRemembersIsToldAndLeftAsItIs() throws IOException, PathProblem {
    directories.prepareVolume(UNKNOWN);
    Files.writeString(who(UNKNOWN), "nonsense");

    assertThat(found())
        .extracting(OperatorMessage::code)
        .containsExactly(OperatorCode.WRONG_IDENTITY);
    assertThat(who(UNKNOWN)).hasContent("nonsense");
  }

  @Test
  void oneThatNamesAnotherVolumeIsToldAndLeftAsItIs() throws IOException, PathProblem {
    remember(Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip());
    directories.prepareVolume(UNKNOWN);
    byte[] other = Files.readAllBytes(who(UNKNOWN));
    Files.write(who(KNOWN), other);

    assertThat(found())
        .extracting(OperatorMessage::code)
        .containsExactly(OperatorCode.WRONG_IDENTITY);
    assertThat(who(KNOWN)).hasBinaryContent(other);
  }

  @Test
  void oneThatNamesAnotherVolumeAfterABootIsWhatWasOnTheDiskBefore()
      throws IOException, PathProblem {
    byte[] whole = Files.readAllBytes(who(KNOWN));
    directories.prepareVolume(UNKNOWN);
    Files.write(who(KNOWN), Files.readAllBytes(who(UNKNOWN)));

    assertThat(found())
        .singleElement()
        .asString()
        .contains(
            "SIDECAR_REPAIRED",
            "was that of another volume and was rewritten",
            "this is normal after a power cut");
    assertThat(who(KNOWN)).hasBinaryContent(whole);
  }

  @Test
  void whatAPowerCutHasEmptiedIsWrittenAgainWhenItIsUsed() throws IOException, PathProblem {
    byte[] whole = Files.readAllBytes(who(KNOWN));
    Files.write(who(KNOWN), new byte[whole.length]);

    assertThat(directories.prepareVolume(KNOWN)).isEmpty();

    assertThat(who(KNOWN)).hasBinaryContent(whole);
  }

  @Test
  void theDirectoryOfAUseThatWasGivenBackIsRemovedAfterABoot() throws PathProblem {
    VolumeUse over = VolumeUse.of(VolumeKey.of("db"), WorkloadId.of("web"));
    directories.prepareUse(KNOWN, over, false);

    assertThat(found()).isEmpty();

    assertThat(layout.use(KNOWN, over).toPath()).doesNotExist();
    assertThat(layout.uses(KNOWN).toPath()).exists();
  }

  @Test
  void whatAPowerCutBringsBackOfAVolumeThatWasGivenBackHasNoUses() throws IOException, PathProblem {
    VolumeUse over = VolumeUse.of(VolumeKey.of("db"), WorkloadId.of("web"));
    directories.prepareUse(KNOWN, over, false);
    Files.write(who(KNOWN), new byte[0]);
    try (StateStore state =
        JournalStateStore.open(layout.state().toPath(), JournalSettings.builder().build())) {
      state.bury(
          layout.key(KNOWN),
          RecordCodec.encode(
              new Tombstone(
                  KNOWN,
                  PLAN,
                  new Place("", 0),
                  List.of(over),
                  new TreeMap<>(),
                  false,
                  new TreeSet<>())));
    }

    try (VolumeManager manager = VolumeManager.builder(root).open()) {
      assertThat(manager.volumes())
          .singleElement()
          .satisfies(
              volume -> {
                assertThat(volume.handle()).isEqualTo(KNOWN.handle());
                assertThat(volume.uses()).isEmpty();
              });
      assertThat(manager.recovered().findings()).isEmpty();
    }
    assertThat(layout.use(KNOWN, over).toPath()).doesNotExist();
  }

  @Test
  void aRecordThatCannotBeReadStaysAsItIsThoughThereIsADirectory() {
    byte[] unreadable = {9, 9, 9};
    try (StateStore state =
        JournalStateStore.open(layout.state().toPath(), JournalSettings.builder().build())) {
      state.put(layout.key(KNOWN), StateValue.of(unreadable), Durability.REQUIRED);
    }

    try (VolumeManager manager = VolumeManager.builder(root).open()) {
      assertThat(manager.recovered().findings())
          .extracting(OperatorMessage::code)
          .contains(OperatorCode.RECORD_UNREADABLE);
    }

    try (StateStore state =
        JournalStateStore.open(layout.state().toPath(), JournalSettings.builder().build())) {
      assertThat(state.load().values().get(layout.key(KNOWN))).isEqualTo(StateValue.of(unreadable));
    }
  }

  @Test
  void whatIsFoundWithoutARecordIsOnRecordFromThenOn() throws IOException, PathProblem {
    directories.prepareVolume(UNKNOWN);

    try (VolumeManager manager = VolumeManager.builder(root).open()) {
      assertThat(manager.recovered().findings())
          .extracting(OperatorMessage::code)
          .contains(OperatorCode.STATE_REBUILT);
    }

    Files.delete(who(UNKNOWN));
    assertThat(found())
        .as("the state says whose it is")
        .extracting(OperatorMessage::code)
        .containsExactly(OperatorCode.SIDECAR_REPAIRED);
  }
}
