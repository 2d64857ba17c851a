package io.csi4j.testkit.internal.hostpath;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.csi4j.client.internal.proto.ControllerPublishVolumeRequest;
import io.csi4j.client.internal.proto.CreateSnapshotRequest;
import io.csi4j.client.internal.proto.CreateVolumeGroupSnapshotRequest;
import io.csi4j.client.internal.proto.CreateVolumeRequest;
import io.csi4j.client.internal.proto.NodePublishVolumeRequest;
import io.csi4j.client.internal.proto.NodeStageVolumeRequest;
import io.csi4j.client.internal.proto.Snapshot;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.internal.proto.VolumeGroupSnapshot;
import io.csi4j.testkit.internal.backend.State;
import io.csi4j.testkit.internal.backend.State.OnNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The state of a host path plugin on disk. */
class StateFileTest {

  @TempDir private Path temp;

  @Test
  void whatIsSavedIsLoaded() throws Exception {
    StateFile file = new StateFile(Layout.make(temp));

    file.save(some());

    assertThat(new StateFile(Layout.make(temp)).load()).isEqualTo(some());
    assertThat(Layout.names(temp)).doesNotContain("state.next");
  }

  @Test
  void eachSaveHasWhatChangedSinceTheOneBefore() throws Exception {
    StateFile file = new StateFile(Layout.make(temp));
    State state = some();
    file.save(state);
    state
        .stagings()
        .put(
            new OnNode("vol-1", "node-1"),
            NodeStageVolumeRequest.newBuilder().setStagingTargetPath("/other").build());
    state.snapshots().clear();

    file.save(state);

    State loaded = new StateFile(Layout.make(temp)).load();
    assertThat(loaded).isEqualTo(state).isNotEqualTo(some());
    assertThat(Files.readAllBytes(temp.resolve("state"))).isEqualTo(StateFile.encode(state));
  }

  @Test
  void anEmptyDirectoryHasAnEmptyStateFromTheFirstMoment() throws Exception {
    assertThat(new StateFile(Layout.make(temp)).load()).isEqualTo(State.empty());
    assertThat(temp.resolve("state")).exists();
  }

  @Test
  void aMissingStateBesideVolumesIsRefused() throws Exception {
    Layout layout = Layout.make(temp);
    Files.createDirectory(layout.volume("vol-1"));

    assertThatThrownBy(() -> new StateFile(layout).load())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("it is missing, but volumes");
    assertThat(layout.state()).doesNotExist();
  }

  @Test
  void aStateThatIsCutOffAnywhereIsRefusedAndLeftAsItIs() throws Exception {
    StateFile file = new StateFile(Layout.make(temp));
    byte[] whole = StateFile.encode(some());
    for (int length = 0; length < whole.length; length++) {
      byte[] torn = Arrays.copyOf(whole, length);
      Files.write(temp.resolve("state"), torn);

      Throwable refused = catchThrowable(file::load);

      assertThat(refused).as("cut to %d", length).isInstanceOf(IOException.class);
      assertThat(refused)
          .hasMessageContaining("incomplete")
          .hasMessageContaining("Nothing was changed");
      assertThat(temp.resolve("state")).hasBinaryContent(torn);
    }
  }

  @Test
  void aStateWithAnyBitFlippedIsRefused() {
    byte[] whole = StateFile.encode(some());
    for (int bit = 0; bit < whole.length * 8; bit++) {
      byte[] flipped = whole.clone();
      flipped[bit / 8] ^= (byte) (1 << bit % 8);

      assertThat(catchThrowable(() -> StateFile.decode(flipped)))
          .as("bit %d", bit)
          .isInstanceOf(StateFile.UnreadableException.class);
    }
  }

  @Test
  void aStateWithMoreAtItsEndIsRefused() {
    byte[] whole = StateFile.encode(some());

    assertThatThrownBy(() -> StateFile.decode(Arrays.copyOf(whole, whole.length + 1)))
        .hasMessageContaining("checksum");
  }

  @Test
  void aNewerStateIsRefusedByItsVersion() throws Exception {
    Layout layout = Layout.make(temp);
    byte[] whole = StateFile.encode(some());
    int version = "csi4j-hostpath-state\n".length() + 3;
    whole[version] = 2;
    int end = whole.length - 32;
    MessageDigest sha = MessageDigest.getInstance("SHA-256");
    sha.update(whole, 0, end);
    System.arraycopy(sha.digest(), 0, whole, end, 32);
    Files.write(layout.state(), whole);

    assertThatThrownBy(() -> new StateFile(layout).load())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("it has version 2, but this plugin supports version 1 only");
    assertThat(layout.state()).hasBinaryContent(whole);
  }

  @Test
  void noSecretIsWritten() {
    State state = some();
    OnNode on = new OnNode("vol-2", "node-1");
    state
        .volumes()
        .put(
            "vol-2",
            new State.StoredVolume(
                Volume.getDefaultInstance(),
                CreateVolumeRequest.newBuilder().putSecrets("key", "hunter2").build()));
    state
        .stagings()
        .put(on, NodeStageVolumeRequest.newBuilder().putSecrets("key", "hunter2").build());
    state
        .publications()
        .put(on, NodePublishVolumeRequest.newBuilder().putSecrets("key", "hunter2").build());

    String bytes = new String(StateFile.encode(state), StandardCharsets.ISO_8859_1);

    assertThat(bytes).contains("vol-1").doesNotContain("hunter2");
  }

  @Test
  void aHalfWrittenNextStateIsNoMatter() throws Exception {
    StateFile file = new StateFile(Layout.make(temp));
    file.save(some());
    Files.writeString(temp.resolve("state.next"), "torn");

    assertThat(file.load()).isEqualTo(some());
    file.save(State.empty());
    assertThat(file.load()).isEqualTo(State.empty());
  }

  @Test
  void idsThatAreNoNamesOfFilesHaveOthersOnDisk() {
    assertThat(Layout.name("vol-1")).isEqualTo("vol-1");
    assertThat(Layout.name("../../etc")).matches("=[0-9a-f]{40}");
    assertThat(Layout.name("..")).matches("=[0-9a-f]{40}");
    assertThat(Layout.name("a/b")).isNotEqualTo(Layout.name("a/c"));
    assertThat(Layout.name("x".repeat(300))).hasSize(41);
  }

  /** One of each. */
  private static State some() {
    State state = State.empty();
    state
        .volumes()
        .put(
            "vol-1",
            new State.StoredVolume(
                Volume.newBuilder().setVolumeId("vol-1").setCapacityBytes(7).build(),
                CreateVolumeRequest.newBuilder().setName("db").build()));
    state
        .snapshots()
        .put(
            "snap-1",
            new State.StoredSnapshot(
                Snapshot.newBuilder().setSnapshotId("snap-1").build(),
                CreateSnapshotRequest.newBuilder().setName("monday").build()));
    state
        .groups()
        .put(
            "group-1",
            new State.StoredGroup(
                VolumeGroupSnapshot.newBuilder().setGroupSnapshotId("group-1").build(),
                CreateVolumeGroupSnapshotRequest.newBuilder().setName("all").build()));
    OnNode on = new OnNode("vol-1", "node-1");
    state
        .attachments()
        .put(on, ControllerPublishVolumeRequest.newBuilder().setVolumeId("vol-1").build());
    state
        .stagings()
        .put(on, NodeStageVolumeRequest.newBuilder().setStagingTargetPath("/s").build());
    state
        .publications()
        .put(
            new OnNode("/t", "node-1"),
            NodePublishVolumeRequest.newBuilder().setTargetPath("/t").build());
    return state;
  }
}
