package io.csi4j.volume.functional;

import static io.csi4j.client.model.CsiOperation.NODE_PUBLISH_VOLUME;
import static io.csi4j.client.model.CsiOperation.NODE_STAGE_VOLUME;
import static io.csi4j.volume.functional.Node.shared;
import static io.csi4j.volume.functional.Node.single;
import static io.csi4j.volume.functional.Node.usage;
import static io.csi4j.volume.model.VolumeException.Outcome.REFUSED;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.VolumeId;
import io.csi4j.mount.model.MountPath;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.mount.MemoryNamespace;
import io.csi4j.volume.internal.disk.DiskException;
import io.csi4j.volume.internal.port.CrashPoint;
import io.csi4j.volume.internal.port.Sighting;
import io.csi4j.volume.internal.record.Evidence;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.node.MountedVolume;
import io.csi4j.volume.node.PathStatus;
import io.csi4j.volume.node.UnmountOutcome;
import io.csi4j.volume.node.WantedUse;
import io.csi4j.volume.state.StateException;
import io.csi4j.volume.state.StateKey;
import io.csi4j.volume.state.StateStore;
import io.csi4j.volume.state.StateStore.Durability;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.state.Uncertainty;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A state that refuses or is lost, and directories that cannot be made. */
class StateTroubleTest {

  private static final VolumeId VOLUME = VolumeId.of("vol-1");

  private static void takesNothingAndGivesBack(StateException.Reason reason, OperatorCode code) {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      VolumeId second = node.volume("vol-2");
      node.mount(shared("vol-1", "a"));
      node.medium().refuse(reason);

      for (VolumeException failure :
          new VolumeException[] {
            node.mountFails(single("vol-2", "a")), node.mountFails(shared("vol-1", "b"))
          }) {
        assertThat(failure.code()).isEqualTo(code);
        assertThat(failure.outcome()).isEqualTo(REFUSED);
      }
      assertThat(node.calls(second)).isEmpty();
      assertThat(node.verbs(VOLUME)).containsExactly("Stage", "Publish");
      assertThat(node.status(second)).isEmpty();
      assertThat(node.unmount(usage("vol-1", "a"))).isEqualTo(UnmountOutcome.LAST);
      assertThat(node.isClean()).isTrue();

      node.medium().accept();
      node.mount(single("vol-2", "a"));
      assertThat(node.unmount(usage("vol-2", "a"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void onAFullDiskNothingIsTakenAndGivingBackWorks() {
    takesNothingAndGivesBack(StateException.Reason.STATE_DISK_FULL, OperatorCode.STATE_DISK_FULL);
  }

  @Test
  void onAReadOnlyDiskNothingIsTakenAndGivingBackWorks() {
    takesNothingAndGivesBack(StateException.Reason.STATE_READ_ONLY, OperatorCode.STATE_READ_ONLY);
  }

  @Test
  void onAFailingDiskNothingIsTakenAndGivingBackWorks() {
    takesNothingAndGivesBack(
        StateException.Reason.JOURNAL_SYNC_FAILED, OperatorCode.JOURNAL_SYNC_FAILED);
  }

  @Tag("F2")
  @Test
  void aDiskThatFillsUpWhileAVolumeIsStagedUnstagesIt() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.plugin().inject(Fault.hang(), When.calling(NODE_STAGE_VOLUME).once());
      CompletableFuture<MountedVolume> mounting = node.engine().mount(single("vol-1", "web"));
      node.awaitOpen(NODE_STAGE_VOLUME);
      node.medium().refuse(StateException.Reason.STATE_DISK_FULL);
      node.plugin().release();

      VolumeException failure = node.fails(mounting);

      assertThat(failure.code())
          .as("F2: the mount is refused")
          .isEqualTo(OperatorCode.STATE_DISK_FULL);
      assertThat(failure.outcome()).isEqualTo(REFUSED);
      assertThat(node.calls())
          .as("F2: what was begun is given back on the full disk")
          .containsExactly("Stage:OK", "Unstage:OK");
      assertThat(node.isClean()).isTrue();
      node.medium().accept();
    }
  }

  @Test
  void aDiskThatFillsUpWhileAVolumeIsPublishedTakesItBack() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.plugin().inject(Fault.hang(), When.calling(NODE_PUBLISH_VOLUME).once());
      CompletableFuture<MountedVolume> mounting = node.engine().mount(single("vol-1", "web"));
      node.awaitOpen(NODE_PUBLISH_VOLUME);
      node.medium().refuse(StateException.Reason.STATE_DISK_FULL);
      node.plugin().release();

      VolumeException failure = node.fails(mounting);

      assertThat(failure.code()).isEqualTo(OperatorCode.STATE_DISK_FULL);
      assertThat(failure.outcome()).isEqualTo(REFUSED);
      assertThat(node.calls())
          .containsExactly("Stage:OK", "Publish:OK", "Unpublish:OK", "Unstage:OK");
      assertThat(node.isClean()).isTrue();
      node.medium().accept();
    }
  }

  @Tag("F3")
  @Test
  void aReleaseThatCouldNotBeWrittenDownIsDoneAgainAfterARestart() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      node.medium().refuse(StateException.Reason.STATE_READ_ONLY);
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);

      node.restart();
      node.medium().accept();
      assertThat(node.target(VOLUME, "web"))
          .as("F3: what only memory knew is done again after a restart")
          .isEqualTo(PathStatus.IN_DOUBT);
      assertThat(node.engine().hasMount(usage("vol-1", "web"))).isFalse();
      node.reconcile();
      node.becomesClean();
    }
  }

  @Tag("F1")
  @Test
  void withoutSpaceForADirectoryThePluginIsNotCalled() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.disk().refuse(DiskException.Kind.NO_SPACE, path -> path.startsWith("/srv/csi/v"));

      VolumeException failure = node.mountFails(single("vol-1", "web"));

      assertThat(failure.code()).as("F1: the mount is refused").isEqualTo(OperatorCode.NO_SPACE);
      assertThat(failure.outcome()).isEqualTo(REFUSED);
      assertThat(node.calls()).as("F1: the plugin is not called").isEmpty();
      node.disk().heal();
      assertThat(node.isClean()).isTrue();
    }
  }

  @ParameterizedTest
  @CsvSource({"READ_ONLY, PATH_READ_ONLY", "FAILED, PATH_FAILED"})
  void whereNoDirectoryCanBeMadeThePluginIsNotCalled(DiskException.Kind kind, OperatorCode code) {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.disk().refuse(kind, path -> path.startsWith("/srv/csi/v"));

      VolumeException failure = node.mountFails(single("vol-1", "web"));

      assertThat(failure.code()).isEqualTo(code);
      assertThat(failure.outcome()).isEqualTo(REFUSED);
      assertThat(node.calls()).isEmpty();
      node.disk().heal();
      assertThat(node.isClean()).isTrue();
    }
  }

  @Tag("F7")
  @Test
  void kubernetes72257_whatSomebodyElseLeftAtATargetIsNeverDeleted() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      MountPath target = node.targetPath("vol-1", "web");
      node.kernel().host().file(target.resolve("precious"), "data");

      VolumeException failure = node.mountFails(single("vol-1", "web"));

      assertThat(failure.code())
          .as("F7: a directory with contents is refused")
          .isEqualTo(OperatorCode.PATH_NOT_EMPTY);
      assertThat(failure.outcome()).isEqualTo(REFUSED);
      assertThat(node.kernel().host().content(target.resolve("precious")))
          .as("F7: its contents stay")
          .contains("data");
      assertThat(node.verbs(VOLUME)).doesNotContain("Publish");
      assertThat(node.mounts()).isEmpty();
      node.leavesSomething();
    }
  }

  @Tag("F8")
  @Test
  void anEmptyDirectoryAtATargetIsNoObstacle() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.kernel().host().directory(node.targetPath("vol-1", "web"));

      node.mount(single("vol-1", "web"));

      assertThat(node.unmount(usage("vol-1", "web")))
          .as("F8: an empty directory is mounted on and released")
          .isEqualTo(UnmountOutcome.LAST);
      assertThat(node.isClean()).isTrue();
    }
  }

  @Tag("F6")
  @Test
  void aFileAtTheStagingPathIsNotTakenAway() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.kernel().host().file(node.stagingPath(VOLUME), "not ours");

      VolumeException failure = node.mountFails(single("vol-1", "web"));

      assertThat(failure.code())
          .as("F6: a file at the staging path is refused")
          .isEqualTo(OperatorCode.PATH_IN_THE_WAY);
      assertThat(failure.outcome()).isEqualTo(REFUSED);
      assertThat(node.calls()).isEmpty();
      assertThat(node.kernel().host().content(node.stagingPath(VOLUME)))
          .as("F6: a file at the staging path stays")
          .contains("not ours");
      node.leavesSomething();
    }
  }

  @Tag("F9")
  @Test
  void aSymbolicLinkAtTheStagingPathIsNotFollowed() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      MountPath elsewhere = node.kernel().host().directory(MountPath.of("/etc"));
      node.disk().link(node.stagingPath(VOLUME), elsewhere);

      VolumeException failure = node.mountFails(single("vol-1", "web"));

      assertThat(failure.code())
          .as("F9: a symbolic link is refused")
          .isEqualTo(OperatorCode.SYMLINK_IN_PATH);
      assertThat(failure.outcome()).isEqualTo(REFUSED);
      assertThat(node.calls()).isEmpty();
      node.leavesSomething();
    }
  }

  @Tag("F9")
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aPathThatWasReplacedByALinkIsNotSentToThePlugin(boolean isTarget) throws DiskException {
    try (Node node = Node.open()) {
      VolumeId volume = node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      MountPath target = node.targetPath("vol-1", "web");
      MountPath staging = node.stagingPath(VOLUME);
      MountPath replaced = isTarget ? target : staging;
      MemoryNamespace host = node.kernel().host();
      host.detach(target);
      if (!isTarget) {
        host.detach(staging);
      }
      host.remove(replaced);
      MountPath elsewhere = host.directory(MountPath.of("/etc"));
      node.disk().link(replaced, elsewhere);

      VolumeException failure = node.unmountFails(usage("vol-1", "web"));

      assertThat(failure.code())
          .as("F9: a symbolic link is not sent to the plugin")
          .isEqualTo(OperatorCode.SYMLINK_IN_PATH);
      assertThat(failure.outcome()).isEqualTo(VolumeException.Outcome.IN_PROGRESS);
      assertThat(node.calls(volume))
          .containsExactlyElementsOf(
              isTarget
                  ? List.of("Stage:OK", "Publish:OK")
                  : List.of("Stage:OK", "Publish:OK", "Unpublish:OK"));
      node.disk().deleteFile(replaced.toPath());
      node.becomesClean();
      assertThat(node.calls(volume))
          .containsExactly("Stage:OK", "Publish:OK", "Unpublish:OK", "Unstage:OK");
    }
  }

  @Tag("G3")
  @Tag("G4")
  @Test
  void aLostStateIsRebuiltFromTheDirectoriesOfTheVolumes() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      node.crash();
      node.loseState();
      node.start();

      assertThat(node.report().findings())
          .as("G3 G4: the state is rebuilt from the identity files")
          .extracting(OperatorMessage::code)
          .contains(OperatorCode.STATE_REBUILT);
      assertThat(node.status(VOLUME)).isPresent();
      node.skip(Duration.ofHours(1)); // However long the host takes to say what it wants.
      Node.eventually("nothing is under way", () -> node.plugin().journal().inFlight().isEmpty());
      assertThat(node.verbs(VOLUME)).containsExactly("Stage", "Publish");
      assertThat(node.mounted(node.targetPath("vol-1", "web"))).isTrue();
      // The host still wants it, and says so: the same path, without anything torn down.
      node.reconcile(new WantedUse.Requested(single("vol-1", "web")));
      assertThat(node.engine().hasMount(usage("vol-1", "web"))).isTrue();
      assertThat(node.verbs(VOLUME)).doesNotContain("Unpublish", "Unstage");
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  /** Puts back what is on the medium of a volume, and lets the store doubt it. */
  private static void putBack(Node node, SortedMap<StateKey, StateValue> older) {
    Set<StateKey> keys = new TreeSet<>(older.keySet());
    try (StateStore store = node.medium().open()) {
      keys.addAll(store.load().values().keySet());
      List.copyOf(store.load().values().keySet()).forEach(store::remove);
      older.forEach((key, value) -> store.put(key, value, Durability.REQUIRED));
    }
    node.medium()
        .doubt(
            Uncertainty.aboutMoreThan(
                StateException.Reason.JOURNAL_TRUNCATED, keys, "the file is shorter"));
  }

  private static SortedMap<StateKey, StateValue> onTheMedium(Node node) {
    try (StateStore store = node.medium().open()) {
      return store.load().values();
    }
  }

  /** A life of a volume, until the process dies at a moment of its release; what is on record. */
  private static SortedMap<StateKey, StateValue> recordsOfARelease(Node node, CrashPoint point) {
    node.mount(single("vol-1", "web"));
    node.dieAt(point);
    var unused = node.engine().unmount(usage("vol-1", "web"));
    node.awaitDeath();
    SortedMap<StateKey, StateValue> older = onTheMedium(node);
    node.start();
    node.reconcile();
    node.becomesClean();
    return older;
  }

  @ParameterizedTest
  @EnumSource(
      value = CrashPoint.class,
      names = {
        "RELEASE_SAVED",
        "BEFORE_UNPUBLISH",
        "UNPUBLISH_ANSWERED",
        "USE_REMOVED",
        "USE_END_SAVED",
        "BEFORE_UNSTAGE",
        "UNSTAGE_ANSWERED",
        "VOLUME_REMOVED",
        "TOMBSTONE_SAVED"
      })
  void aWantedMountIsKeptThoughTheStateFellBackToAnEarlierRelease(CrashPoint point) {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      SortedMap<StateKey, StateValue> older = recordsOfARelease(node, point);
      node.mount(single("vol-1", "web"));
      Evidence there = node.sightings(node.targetPath("vol-1", "web")).get(0).evidence();
      int before = node.verbs(VOLUME).size();
      node.crash();
      putBack(node, older);
      node.start();

      node.skip(Duration.ofHours(1)); // However long the host takes to say what it wants.
      assertThat(node.verbs(VOLUME)).hasSize(before);
      node.reconcile(new WantedUse.Requested(single("vol-1", "web")));
      node.skip(Duration.ofHours(1));

      assertThat(node.verbs(VOLUME).subList(before, node.verbs(VOLUME).size()))
          .as("only what keeps the mount is repeated")
          .containsExactly("Stage", "Publish");
      assertThat(node.target(VOLUME, "web")).isEqualTo(PathStatus.PRESENT);
      assertThat(node.sightings(node.targetPath("vol-1", "web")))
          .extracting(Sighting::evidence)
          .containsExactly(there);
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = CrashPoint.class,
      names = {"RELEASE_SAVED", "USE_END_SAVED", "TOMBSTONE_SAVED"})
  void anUnwantedMountIsReleasedThoughTheStateFellBackToAnEarlierRelease(CrashPoint point) {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      SortedMap<StateKey, StateValue> older = recordsOfARelease(node, point);
      node.mount(single("vol-1", "web"));
      node.crash();
      putBack(node, older);
      node.start();

      node.reconcile();

      node.becomesClean();
    }
  }

  @Test
  void aRebuiltVolumeThatNobodyWantsIsTakenAway() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(shared("vol-1", "a"));
      node.mount(shared("vol-1", "b"));
      node.crash();
      node.loseState();
      node.start();

      node.reconcile();

      node.becomesClean();
      assertThat(node.verbs(VOLUME).stream().filter("Unpublish"::equals)).hasSize(2);
    }
  }

  @Tag("B6")
  @Test
  void aStateThatIsLostWithAReboot() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      node.loseState();
      node.reboot();
      node.volume("vol-1");

      assertThat(node.report().findings())
          .as("B6: the lost state is rebuilt from the identity files")
          .extracting(OperatorMessage::code)
          .contains(OperatorCode.STATE_REBUILT);
      node.reconcile(new WantedUse.Requested(single("vol-1", "web")));
      assertThat(node.engine().hasMount(usage("vol-1", "web"))).isTrue();
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Tag("G6")
  @Test
  void aMountThatNobodyCanAttributeIsToldAndLeftAlone() {
    try (Node node = Node.open()) {
      MountPath stray =
          node.kernel().host().directory(node.layout().volumes().resolve("stray").resolve("s"));
      node.kernel().host().tmpfs(stray);
      node.restart();

      assertThat(node.report().findings())
          .as("G6: reported with its path")
          .anySatisfy(
              message -> {
                assertThat(message.code()).isEqualTo(OperatorCode.UNKNOWN_MOUNT);
                assertThat(message.line()).contains(stray.toString());
              });
      node.reconcile();
      assertThat(node.mounted(stray)).as("G6: never unmounted").isTrue();
      assertThat(node.calls()).isEmpty();
      node.leavesSomething();
    }
  }
}
