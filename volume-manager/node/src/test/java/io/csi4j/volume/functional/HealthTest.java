package io.csi4j.volume.functional;

import static io.csi4j.client.model.CsiOperation.NODE_GET_STORAGE_HEALTH;
import static io.csi4j.client.model.CsiOperation.NODE_GET_VOLUME_HEALTH;
import static io.csi4j.client.model.CsiOperation.NODE_STAGE_VOLUME;
import static io.csi4j.client.model.VolumeHealthEntry.Status.DATA_LOSS;
import static io.csi4j.client.model.VolumeHealthEntry.Status.DEGRADED;
import static io.csi4j.client.model.VolumeHealthEntry.Status.INACCESSIBLE;
import static io.csi4j.volume.functional.Node.single;
import static io.csi4j.volume.functional.Node.usage;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.HealthReason;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.StorageHealthEntry;
import io.csi4j.client.model.StorageHealthEntry.Status;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeCondition;
import io.csi4j.client.model.VolumeHealthEntry;
import io.csi4j.client.model.VolumeId;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.mount.ServerState;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.StorageFinding;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeHealth;
import io.csi4j.volume.model.VolumeHealth.Finding;
import io.csi4j.volume.model.VolumeHealth.Source;
import io.csi4j.volume.node.MountedVolume;
import io.csi4j.volume.node.UnmountOutcome;
import io.csi4j.volume.node.VolumeEvent;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The health of volumes and storage that plugins tell on a node, and that their mounts show. */
class HealthTest {

  /** Tells health as CSI 1.3 to 1.12 do. */
  private static final PluginShape OLD = PluginShape.nodeOnly();

  private static final PluginShape BOTH =
      OLD.with(NodeCapability.GET_VOLUME_HEALTH, NodeCapability.GET_STORAGE_HEALTH);

  /** Tells health as CSI 1.13 does. */
  private static final PluginShape NEW = BOTH.without(NodeCapability.VOLUME_CONDITION);

  private static final VolumeId VOLUME = VolumeId.of("vol-1");

  /** More than the pause between two rounds, however it is spread. */
  private static final Duration ROUND = Duration.ofSeconds(75);

  private static final MountPolicy WATCHED =
      Node.QUICK.toBuilder().healthInterval(Duration.ofMinutes(1)).build();

  private static final VolumeHealthEntry SICK =
      VolumeHealthEntry.of(DEGRADED, HealthReason.of(VolumeHealth.CONDITION), "two disks are slow");

  /** The releases of CSI that a plugin speaks, before and after it is started again. */
  @SuppressWarnings("ImmutableEnumChecker") // shapes never change
  enum Spoken {
    OLDER(OLD, OLD),
    NEWER(NEW, NEW),
    UPGRADED(OLD, NEW),
    DOWNGRADED(BOTH, OLD);

    private final PluginShape before;
    private final PluginShape after;

    Spoken(PluginShape before, PluginShape after) {
      this.before = before;
      this.after = after;
    }
  }

  private static Node watched(PluginShape shape) {
    return Node.builder().shape(shape).policy(WATCHED).open();
  }

  private static List<VolumeEvent.VolumeHealthChanged> changes(Node node) {
    return node.events().stream()
        .filter(VolumeEvent.VolumeHealthChanged.class::isInstance)
        .map(VolumeEvent.VolumeHealthChanged.class::cast)
        .toList();
  }

  /** The changes in words: {@code + DEGRADED (DiskSlow)} for one that begins. */
  private static List<String> told(Node node) {
    return changes(node).stream()
        .map(change -> (change.isOver() ? "- " : "+ ") + change.finding().entry().fault())
        .toList();
  }

  private static List<String> toldOfStorage(Node node) {
    return node.events().stream()
        .filter(VolumeEvent.StorageHealthChanged.class::isInstance)
        .map(VolumeEvent.StorageHealthChanged.class::cast)
        .map(
            change ->
                (change.isOver() ? "- " : "+ ")
                    + change.finding().entry().fault()
                    + " "
                    + change.message().code())
        .toList();
  }

  private static List<VolumeHealthEntry> entries(Node node) {
    return node.status(VOLUME).orElseThrow().health().findings().stream()
        .map(Finding::entry)
        .toList();
  }

  private static long asked(Node node, CsiOperation operation) {
    return node.plugin().journal().calls().stream()
        .filter(call -> call.operation() == operation)
        .count();
  }

  /** Lets whole rounds pass. */
  private static void rounds(Node node, int count) {
    for (int i = 0; i < count; i++) {
      node.skip(ROUND);
    }
    node.skip(Duration.ZERO);
  }

  // ---- what plugins tell

  @ParameterizedTest
  @EnumSource(Spoken.class)
  void oneSickVolumeIsOnePictureWhateverReleaseThePluginSpeaks(Spoken spoken) {
    try (Node node = watched(spoken.before)) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      rounds(node, 2);
      assertThat(node.status(VOLUME).orElseThrow().health()).isEqualTo(VolumeHealth.well());

      node.plugin().condition(VOLUME, new VolumeCondition(true, SICK.message()));
      node.inTheEnd("it is told", () -> !changes(node).isEmpty());
      rounds(node, 2);
      node.plugin().upgrade(spoken.after);
      rounds(node, 3);

      assertThat(entries(node)).containsExactly(SICK);
      assertThat(told(node)).containsExactly("+ DEGRADED (VolumeCondition)");
      VolumeEvent.VolumeHealthChanged begun = changes(node).get(0);
      assertThat(begun.volume()).isEqualTo(Node.identity(VOLUME));
      assertThat(begun.finding().source())
          .isEqualTo(new Source(Source.Kind.NODE, Optional.empty()));
      assertThat(begun.message().code()).isEqualTo(OperatorCode.VOLUME_ABNORMAL);
      assertThat(begun.message().seen().text())
          .startsWith("DEGRADED (VolumeCondition), the plugin says since ")
          .endsWith(": 'two disks are slow'");
      assertThat(node.engine().explain("volume", use -> true).lines())
          .anySatisfy(
              line ->
                  assertThat(line)
                      .startsWith("health: DEGRADED (VolumeCondition), the plugin says since "));

      node.plugin().clearHealth();
      node.inTheEnd("it is over", () -> changes(node).size() == 2);
      rounds(node, 2);

      assertThat(told(node))
          .containsExactly("+ DEGRADED (VolumeCondition)", "- DEGRADED (VolumeCondition)");
      assertThat(changes(node).get(1).message().code()).isEqualTo(OperatorCode.VOLUME_WELL_AGAIN);
      assertThat(node.status(VOLUME).orElseThrow().health()).isEqualTo(VolumeHealth.well());
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void severalFaultsStandWorstFirstAndAnUnknownStatusIsShownLast() {
    VolumeHealthEntry unknown = VolumeHealthEntry.of(77, HealthReason.of("Haunted"), "it creaks");
    VolumeHealthEntry lost = VolumeHealthEntry.of(DATA_LOSS, HealthReason.of("DiskGone"), "");
    try (Node node = watched(NEW)) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      node.plugin().health(VOLUME, unknown, SICK, lost);

      node.inTheEnd("all are told", () -> changes(node).size() == 3);

      assertThat(entries(node)).containsExactly(lost, SICK, unknown);
      assertThat(told(node))
          .containsExactlyInAnyOrder(
              "+ status 77 (Haunted)", "+ DEGRADED (VolumeCondition)", "+ DATA_LOSS (DiskGone)");
      node.unmount(usage("vol-1", "web"));
    }
  }

  @Test
  void aVolumeThatIsGivenBackIsWatchedNoMore() {
    try (Node node = watched(NEW)) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      node.plugin().health(VOLUME, SICK);
      node.inTheEnd("it is told", () -> !changes(node).isEmpty());

      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
      node.inTheEnd("it is over", () -> changes(node).size() == 2);
      long before = asked(node, NODE_GET_VOLUME_HEALTH);
      rounds(node, 4);

      assertThat(told(node))
          .containsExactly("+ DEGRADED (VolumeCondition)", "- DEGRADED (VolumeCondition)");
      assertThat(asked(node, NODE_GET_VOLUME_HEALTH)).isEqualTo(before);
    }
  }

  @Test
  void aPluginThatOffersNoHealthIsNotAskedForIt() {
    PluginShape shape = OLD.without(NodeCapability.VOLUME_CONDITION);
    try (Node node = watched(shape)) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      node.plugin().health(VOLUME, SICK);

      rounds(node, 4);

      assertThat(node.calls()).containsExactly("Stage:OK", "Publish:OK");
      assertThat(node.status(VOLUME).orElseThrow().health()).isEqualTo(VolumeHealth.well());
      node.unmount(usage("vol-1", "web"));
    }
  }

  @Test
  void whatAPluginToldDoesNotHoldAnyMoreWhenItOffersNoHealth() {
    try (Node node = watched(NEW)) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      node.plugin().health(VOLUME, SICK);
      node.inTheEnd("it is told", () -> !changes(node).isEmpty());

      node.plugin().upgrade(OLD.without(NodeCapability.VOLUME_CONDITION));
      node.inTheEnd("it is over", () -> changes(node).size() == 2);

      assertThat(entries(node)).isEmpty();
      node.unmount(usage("vol-1", "web"));
    }
  }

  @Test
  void afterARestartTheVolumesThatWereFoundAreAskedAbout() {
    try (Node node = watched(NEW)) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      node.crash();
      node.plugin().health(VOLUME, SICK);
      node.start();
      node.engine().pluginChanged(Node.PLUGIN);

      node.inTheEnd("it is told", () -> !changes(node).isEmpty());

      assertThat(entries(node)).containsExactly(SICK);
      node.unmount(usage("vol-1", "web"));
    }
  }

  @Test
  void aHostMayAskByItself() {
    MountPolicy unwatched = Node.QUICK;
    try (Node node = Node.builder().shape(NEW).policy(unwatched).open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      node.plugin().health(VOLUME, SICK);
      rounds(node, 3);
      assertThat(entries(node)).isEmpty();

      VolumeHealth health = node.get(node.engine().health(usage("vol-1", "web")));

      assertThat(health.findings()).extracting(Finding::entry).containsExactly(SICK);
      assertThat(told(node)).containsExactly("+ DEGRADED (VolumeCondition)");
      VolumeException unknown = node.fails(node.engine().health(usage("vol-1", "other")));
      assertThat(unknown.code()).isEqualTo(OperatorCode.NOT_MOUNTED);
      node.unmount(usage("vol-1", "web"));
      assertThat(told(node))
          .containsExactly("+ DEGRADED (VolumeCondition)", "- DEGRADED (VolumeCondition)");
    }
  }

  @Test
  void aVolumeThatIsStillBeingMountedWhenTheFirstRoundBeginsIsAskedAboutInTheNext() {
    MountPolicy atOnce = Node.QUICK.toBuilder().healthInterval(Duration.ofNanos(1)).build();
    try (Node node = Node.builder().shape(NEW).policy(atOnce).open()) {
      node.volume("vol-1");
      node.plugin().health(VOLUME, SICK);
      for (int i = 0; i < 20; i++) {
        int before = changes(node).size();
        node.mount(single("vol-1", "web"));
        Node.eventually("it is told", () -> changes(node).size() == before + 1);
        node.unmount(usage("vol-1", "web"));
        Node.eventually("it is over", () -> changes(node).size() == before + 2);
      }
    }
  }

  @Test
  void aVolumeThatIsUsedAgainBeforeItsTurnIsAskedAboutInThatRound() {
    try (Node node = watched(NEW)) {
      List<String> names = IntStream.range(0, 20).mapToObj(i -> "vol-" + i).toList();
      for (String name : names) {
        node.mount(single(node.volume(name).value(), "web"));
      }
      while (asked(node, NODE_GET_VOLUME_HEALTH) == 0) {
        node.skip(Duration.ofSeconds(1));
      }
      String later =
          names.stream().filter(name -> askedAbout(node, name) == 0).findFirst().orElseThrow();
      assertThat(node.unmount(usage(later, "web"))).isEqualTo(UnmountOutcome.LAST);
      node.mount(single(later, "web"));

      // The questions of a round are spread over half a minute.
      node.inTheEnd(
          "the round is over",
          Duration.ofSeconds(1),
          () -> asked(node, NODE_GET_VOLUME_HEALTH) >= 20);
      assertThat(names).allSatisfy(name -> assertThat(askedAbout(node, name)).isEqualTo(1));
      names.forEach(name -> node.unmount(usage(name, "web")));
    }
  }

  private static long askedAbout(Node node, String volume) {
    return node.plugin().journal().calls(VolumeId.of(volume)).stream()
        .filter(call -> call.operation() == NODE_GET_VOLUME_HEALTH)
        .count();
  }

  // ---- a plugin that does not answer

  @Test
  void aPluginThatDoesNotAnswerIsAskedLessOftenAndItsWordsStay() {
    try (Node node = watched(NEW.without(NodeCapability.GET_STORAGE_HEALTH))) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      node.plugin().health(VOLUME, SICK);
      node.inTheEnd("it is told", () -> !changes(node).isEmpty());
      node.plugin()
          .inject(Fault.fail(StatusCode.UNAVAILABLE, "busy"), When.calling(NODE_GET_VOLUME_HEALTH));
      long before = asked(node, NODE_GET_VOLUME_HEALTH);

      rounds(node, 20);

      assertThat(asked(node, NODE_GET_VOLUME_HEALTH) - before).isBetween(3L, 8L);
      assertThat(entries(node)).containsExactly(SICK);
      node.unmount(usage("vol-1", "web"));
    }
  }

  @Test
  void aMountWaitsForAQuestionThatIsUnderWayAndNoLongerThanItsLimit() {
    try (Node node = watched(NEW)) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      node.plugin().inject(Fault.hang(), When.calling(NODE_GET_VOLUME_HEALTH));
      node.skip(ROUND);
      node.awaitOpen(NODE_GET_VOLUME_HEALTH);

      CompletableFuture<UnmountOutcome> release = node.engine().unmount(usage("vol-1", "web"));
      assertThat(node.calls().get(node.calls().size() - 1)).isEqualTo("Health:open");
      node.plugin().clearFaults();
      node.plugin().release();

      assertThat(node.get(release)).isEqualTo(UnmountOutcome.LAST);
      assertThat(node.calls())
          .containsSubsequence("Publish:OK", "Health:OK", "Unpublish:OK", "Unstage:OK");
    }
  }

  // ---- a volume that cannot be staged

  @Test
  void theFailureOfAStagingTellsWhatThePluginSaysOfTheVolume() {
    try (Node node = watched(NEW)) {
      node.volume("vol-1");
      node.plugin()
          .health(
              VOLUME,
              VolumeHealthEntry.of(
                  INACCESSIBLE, HealthReason.of("PoolOffline"), "the pool is offline"));
      node.plugin()
          .inject(
              Fault.fail(StatusCode.FAILED_PRECONDITION, "cannot"),
              When.calling(NODE_STAGE_VOLUME));

      VolumeException failure = node.mountFails(single("vol-1", "web"));

      assertThat(failure.code()).isEqualTo(OperatorCode.REFUSED_BY_PLUGIN);
      assertThat(failure.operatorMessage().seen().text())
          .endsWith(
              "; the plugin reports about the volume: INACCESSIBLE (PoolOffline): 'the pool is "
                  + "offline'");
      assertThat(node.calls()).contains("Health:OK");
    }
  }

  @Test
  void theFailureOfAStagingOfAVolumeThatIsWellSaysNothingMore() {
    try (Node node = watched(NEW)) {
      node.volume("vol-1");
      node.plugin()
          .inject(
              Fault.fail(StatusCode.FAILED_PRECONDITION, "cannot"),
              When.calling(NODE_STAGE_VOLUME));

      VolumeException failure = node.mountFails(single("vol-1", "web"));

      assertThat(failure.operatorMessage().seen().text())
          .doesNotContain("reports about the " + "volume");
      assertThat(node.calls()).contains("Health:OK");
    }
  }

  // ---- the storage

  private static final StorageHealthEntry UNREACHABLE =
      StorageHealthEntry.of(
          Status.STORAGE_UNREACHABLE.number(),
          HealthReason.of("NetworkDown"),
          "no path to the array",
          Optional.empty());

  @Test
  void aStorageThatCannotBeReachedIsToldAndOnlyThat() {
    try (Node node = watched(NEW)) {
      node.volume("vol-1");
      node.volume("vol-2");
      node.mount(single("vol-1", "web"));
      node.plugin().storageHealth(UNREACHABLE);
      node.inTheEnd("it is told", () -> !toldOfStorage(node).isEmpty());

      assertThat(node.engine().storageHealth(Node.PLUGIN))
          .extracting(StorageFinding::entry)
          .containsExactly(UNREACHABLE);
      node.mount(single("vol-2", "web"));
      node.plugin().clearHealth();
      node.inTheEnd("it is over", () -> toldOfStorage(node).size() == 2);

      assertThat(toldOfStorage(node))
          .containsExactly(
              "+ STORAGE_UNREACHABLE (NetworkDown) STORAGE_UNREACHABLE",
              "- STORAGE_UNREACHABLE (NetworkDown) STORAGE_WELL_AGAIN");
      assertThat(node.engine().storageHealth(Node.PLUGIN)).isEmpty();
      node.unmount(usage("vol-1", "web"));
      node.unmount(usage("vol-2", "web"));
    }
  }

  @Test
  void aHostMayHaveNewMountsRefusedWhileTheStorageCannotBeReached() {
    MountPolicy strict = WATCHED.toBuilder().refuseUnreachableStorage(true).build();
    try (Node node = Node.builder().shape(NEW).policy(strict).open()) {
      node.volume("vol-1");
      node.volume("vol-2");
      MountedVolume first = node.mount(single("vol-1", "web"));
      node.plugin().storageHealth(UNREACHABLE);
      node.inTheEnd("it is told", () -> !toldOfStorage(node).isEmpty());

      VolumeException failure = node.mountFails(single("vol-2", "web"));
      assertThat(failure.code()).isEqualTo(OperatorCode.STORAGE_UNREACHABLE);
      assertThat(failure.outcome()).isEqualTo(VolumeException.Outcome.REFUSED);
      assertThat(failure.operatorMessage().seen().text()).contains("'no path to the array'");
      assertThat(node.mount(single("vol-1", "web"))).isEqualTo(first);

      node.plugin().clearHealth();
      node.inTheEnd("it is over", () -> toldOfStorage(node).size() == 2);
      node.mount(single("vol-2", "web"));
      node.unmount(usage("vol-1", "web"));
      node.unmount(usage("vol-2", "web"));
    }
  }

  @Test
  void aFaultOfTheStorageIsOverWhenThePluginIsNotWatchedAnyMore() {
    MountPolicy strict = WATCHED.toBuilder().refuseUnreachableStorage(true).build();
    try (Node node = Node.builder().shape(NEW).policy(strict).open()) {
      node.volume("vol-1");
      node.volume("vol-2");
      node.mount(single("vol-1", "web"));
      node.plugin().storageHealth(UNREACHABLE);
      node.plugin().health(VOLUME, SICK);
      node.inTheEnd("both are told", () -> toldOfStorage(node).size() + told(node).size() == 2);

      node.registerAgain(strict.toBuilder().healthInterval(Duration.ZERO).build());
      node.mount(single("vol-2", "web"));
      node.inTheEnd("both are over", () -> toldOfStorage(node).size() + told(node).size() == 4);

      assertThat(node.engine().storageHealth(Node.PLUGIN)).isEmpty();
      assertThat(entries(node)).isEmpty();
      node.unmount(usage("vol-1", "web"));
      node.unmount(usage("vol-2", "web"));
    }
  }

  @Test
  void aFaultOfTheStorageForOneWayOfUseRefusesNoOther() {
    MountPolicy strict = WATCHED.toBuilder().refuseUnreachableStorage(true).build();
    StorageHealthEntry blocksOnly =
        StorageHealthEntry.of(
            Status.STORAGE_UNREACHABLE.number(),
            HealthReason.of("NetworkDown"),
            "no path for block devices",
            Optional.of(VolumeCapability.block(AccessMode.SINGLE_NODE_WRITER)));
    try (Node node = Node.builder().shape(NEW).policy(strict).open()) {
      node.volume("vol-1");
      node.volume("vol-2");
      node.mount(single("vol-1", "web"));
      node.plugin().storageHealth(blocksOnly);
      node.inTheEnd("it is told", () -> !toldOfStorage(node).isEmpty());

      node.mount(single("vol-2", "web"));

      node.unmount(usage("vol-1", "web"));
      node.unmount(usage("vol-2", "web"));
    }
  }

  @Test
  void aStorageThatIsOnlyDegradedIsToldAsThat() {
    StorageHealthEntry degraded =
        StorageHealthEntry.of(
            Status.STORAGE_DEGRADED.number(),
            HealthReason.of("Rebuilding"),
            "one disk of three",
            Optional.empty());
    try (Node node = watched(NEW)) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      node.plugin().storageHealth(degraded);

      node.inTheEnd("it is told", () -> !toldOfStorage(node).isEmpty());

      assertThat(toldOfStorage(node))
          .containsExactly("+ STORAGE_DEGRADED (Rebuilding) STORAGE_DEGRADED");
      assertThat(asked(node, NODE_GET_STORAGE_HEALTH)).isPositive();
      node.unmount(usage("vol-1", "web"));
    }
  }

  // ---- what the mounts show

  @Test
  void aMountWhoseServerHasEndedIsAFaultThatTheNodeSees() {
    try (Node node = watched(NEW)) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      node.kernel().host().server(node.targetPath("vol-1", "web"), ServerState.DEAD);

      node.inTheEnd("it is told", () -> told(node).contains("+ INACCESSIBLE (MountDead)"));

      Finding finding = node.status(VOLUME).orElseThrow().health().worst().orElseThrow();
      assertThat(finding.source()).isEqualTo(new Source(Source.Kind.HOST, Optional.empty()));
      assertThat(finding.entry().message())
          .isEqualTo("the server of the mount has ended at " + node.targetPath("vol-1", "web"));
      node.unmount(usage("vol-1", "web"));
    }
  }

  @Test
  void aMountThatSomebodyTookAwayIsAFaultThatTheNodeSees() {
    try (Node node = watched(NEW)) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      node.kernel().host().detach(node.targetPath("vol-1", "web"));

      node.inTheEnd("it is told", () -> !changes(node).isEmpty());
      rounds(node, 3);

      assertThat(told(node)).containsExactly("+ INACCESSIBLE (MountLost)");
      assertThat(changes(node).get(0).finding().entry().message())
          .isEqualTo("the mount is gone at " + node.targetPath("vol-1", "web"));
      node.unmount(usage("vol-1", "web"));
      assertThat(told(node))
          .containsExactly("+ INACCESSIBLE (MountLost)", "- INACCESSIBLE (MountLost)");
      assertThat(changes(node).get(1).message().seen().text())
          .startsWith("it is over: INACCESSIBLE (MountLost), seen since ");
    }
  }

  @Test
  void aFilesystemThatTakesNoMoreWritesIsAFaultThatTheNodeSees() {
    try (Node node = watched(NEW)) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      rounds(node, 2);
      assertThat(entries(node)).isEmpty();
      node.kernel().mounts().setReadOnly(node.targetPath("vol-1", "web"), false);

      node.inTheEnd("it is told", () -> !changes(node).isEmpty());

      assertThat(told(node)).containsExactly("+ DEGRADED (MountReadOnly)");
      node.unmount(usage("vol-1", "web"));
    }
  }

  // ---- for operators

  @Test
  void theMessageOfAFaultIsOneLineForAnOperator() {
    try (Node node = watched(NEW)) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      node.plugin().health(VOLUME, SICK);
      node.inTheEnd("it is told", () -> !changes(node).isEmpty());

      OperatorMessage message = changes(node).get(0).message();

      assertThat(message.line())
          .startsWith(
              "CSI-847 VOLUME_ABNORMAL: looking after volume 'vol-1' of plugin"
                  + " 'fake.csi4j.example': DEGRADED (VolumeCondition), the plugin says since ")
          .endsWith(
              ": 'two disks are slow'; nothing was changed. Check the volume and its"
                  + " workloads.");
      node.unmount(usage("vol-1", "web"));
    }
  }
}
