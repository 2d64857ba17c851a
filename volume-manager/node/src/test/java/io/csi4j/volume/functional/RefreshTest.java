package io.csi4j.volume.functional;

import static io.csi4j.client.model.CsiOperation.NODE_PUBLISH_VOLUME;
import static io.csi4j.volume.functional.Node.shared;
import static io.csi4j.volume.functional.Node.single;
import static io.csi4j.volume.functional.Node.usage;
import static io.csi4j.volume.model.VolumeException.Outcome.HELD;
import static io.csi4j.volume.model.VolumeException.Outcome.IN_PROGRESS;
import static io.csi4j.volume.model.VolumeException.Outcome.REFUSED;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.volume.internal.port.CrashPoint;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.MountedVolume;
import io.csi4j.volume.node.PathStatus;
import io.csi4j.volume.node.UnmountOutcome;
import io.csi4j.volume.node.VolumeEvent;
import io.csi4j.volume.node.VolumeStatus;
import io.csi4j.volume.node.WantedUse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is mounted gets other contexts and secrets, and stays mounted whatever comes of it. */
class RefreshTest {

  private static final VolumeId VOLUME = VolumeId.of("vol-1");
  private static final VolumeUse WEB = usage("vol-1", "web");
  private static final MountRequest OLD = single("vol-1", "web");
  private static final MountRequest NEW = with(OLD, "next-");

  /** More than the pause between two refreshes, however it is spread. */
  private static final Duration ROUND = Duration.ofSeconds(61);

  private static final MountPolicy EACH_MINUTE =
      Node.QUICK.toBuilder().refreshInterval(Duration.ofMinutes(1)).build();

  private static VolumeContext context(String token) {
    return VolumeContext.of(Map.of("token", token + Node.CANARY));
  }

  private static MountRequest with(MountRequest request, String token) {
    return request.toBuilder().volumeContext(context(token)).build();
  }

  /** From now on the plugin knows the volume by another context. */
  private static void changes(Node node, String token) {
    node.plugin().addVolume(VOLUME, CapacityRange.exactly(1L << 30), context(token));
  }

  private static Node mounted() {
    Node node = Node.open();
    node.volume("vol-1");
    node.mount(OLD);
    return node;
  }

  private static MountedVolume refresh(Node node, MountRequest request) {
    return node.get(node.engine().refresh(request));
  }

  private static VolumeException refreshFails(Node node, MountRequest request) {
    return node.fails(node.engine().refresh(request));
  }

  private static void assertMounted(Node node, int mounts) {
    assertThat(node.target(VOLUME, "web")).isEqualTo(PathStatus.PRESENT);
    assertThat(node.mountsAt(node.targetPath("vol-1", "web"))).isEqualTo(mounts);
    assertThat(node.engine().hasMount(WEB)).isTrue();
  }

  private static Optional<OperatorCode> trouble(Node node) {
    return node.status(VOLUME).flatMap(VolumeStatus::trouble).map(OperatorMessage::code);
  }

  /** How the refreshes have ended, in order. */
  private static List<String> told(Node node) {
    return node.events().stream()
        .filter(VolumeEvent.Ended.class::isInstance)
        .map(VolumeEvent.Ended.class::cast)
        .filter(end -> end.started().operation() == VolumeEvent.Operation.REFRESH)
        .map(end -> end.failure().map(failure -> failure.code().name()).orElse("OK"))
        .toList();
  }

  // ---- what is in force afterwards

  @Test
  void itIsPublishedAgainAtItsPlaceAndAMountIsRepeatedWithTheNewContext() {
    try (Node node = mounted()) {
      MountedVolume before = node.mount(OLD);
      changes(node, "next-");

      assertThat(refresh(node, NEW)).isEqualTo(before);

      assertThat(node.calls()).containsExactly("Stage:OK", "Publish:OK", "Publish:OK");
      assertMounted(node, 1);
      assertThat(told(node)).containsExactly("OK");
      assertThat(node.mount(NEW)).isEqualTo(before);
      VolumeException older = node.mountFails(OLD);
      assertThat(older.code()).isEqualTo(OperatorCode.OPTIONS_DIFFER);
      assertThat(older.getMessage()).contains("volume context");
      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void theNextProcessKnowsWhichContextIsInForce() {
    try (Node node = mounted()) {
      changes(node, "next-");
      refresh(node, NEW);
      node.restart();

      node.reconcile(new WantedUse.Requested(OLD));

      assertThat(node.calls()).as("what is wanted is there").hasSize(3);
      assertThat(node.mountFails(OLD).code()).isEqualTo(OperatorCode.OPTIONS_DIFFER);
      assertThat(node.mount(NEW).path()).isEqualTo(node.targetPath("vol-1", "web").toPath());
      assertMounted(node, 1);
      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void secretsAreAskedForAgainAndTheContextStays() {
    AtomicInteger asked = new AtomicInteger();
    MountRequest request =
        OLD.toBuilder()
            .secrets(
                operation ->
                    Secrets.of(Map.of("token", asked.incrementAndGet() + "-" + Node.CANARY)))
            .build();
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(request);
      assertThat(asked).hasValue(2);

      refresh(node, request);

      assertThat(asked).hasValue(3);
      assertThat(node.mount(OLD).usage()).isEqualTo(WEB);
      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void ofManyUsesOneIsRefreshedAndTheOthersStayAsTheyAre() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      List<MountRequest> all = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        all.add(shared("vol-1", "w" + i));
        node.mount(all.get(i));
      }
      changes(node, "next-");

      List<CompletableFuture<MountedVolume>> refreshing =
          all.subList(0, 10).stream()
              .map(request -> node.engine().refresh(with(request, "next-")))
              .toList();
      refreshing.forEach(node::get);

      assertThat(node.verbs(VOLUME)).hasSize(31).doesNotContain("Unpublish", "Unstage");
      for (int i = 0; i < 20; i++) {
        assertThat(node.mountsAt(node.targetPath("vol-1", "w" + i))).isEqualTo(1);
        MountRequest inForce = i < 10 ? with(all.get(i), "next-") : all.get(i);
        assertThat(node.mount(inForce).usage()).isEqualTo(all.get(i).usage());
      }
      for (MountRequest request : all) {
        assertThat(node.unmount(request.usage())).isNotEqualTo(UnmountOutcome.UNKNOWN);
      }
    }
  }

  // ---- what cannot be refreshed

  @Test
  void whatIsNotMountedIsNotRefreshed() {
    try (Node node = Node.open()) {
      node.volume("vol-1");

      VolumeException failure = refreshFails(node, OLD);

      assertThat(failure.code()).isEqualTo(OperatorCode.NOT_MOUNTED);
      assertThat(failure.outcome()).isEqualTo(REFUSED);
      assertThat(node.calls()).isEmpty();
    }
  }

  @Test
  void anotherWayOfUseIsNoRefresh() {
    try (Node node = mounted()) {
      VolumeException failure =
          refreshFails(
              node,
              Node.request("vol-1", "web", AccessMode.SINGLE_NODE_WRITER).readOnly(true).build());

      assertThat(failure.code()).isEqualTo(OperatorCode.OPTIONS_DIFFER);
      assertThat(failure.getMessage()).contains("read-only");
      assertThat(node.calls()).hasSize(2);
      assertMounted(node, 1);
      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = StatusCode.class,
      names = {"ALREADY_EXISTS", "INVALID_ARGUMENT", "UNAUTHENTICATED", "FAILED_PRECONDITION"})
  void whatThePluginRefusesLeavesTheFormerContextInForce(StatusCode code) {
    try (Node node = mounted()) {
      node.plugin()
          .inject(Fault.fail(code, "it is published"), When.calling(NODE_PUBLISH_VOLUME).once());

      VolumeException failure = refreshFails(node, NEW);

      assertThat(failure.code()).isEqualTo(OperatorCode.REFRESH_REFUSED);
      assertThat(failure.outcome()).isEqualTo(REFUSED);
      assertThat(failure.getMessage()).contains(code.name());
      assertThat(told(node)).containsExactly("REFRESH_REFUSED");
      assertThat(trouble(node)).contains(OperatorCode.REFRESH_REFUSED);
      assertMounted(node, 1);
      assertThat(node.mount(OLD).usage()).isEqualTo(WEB);
      assertThat(trouble(node)).as("until it is refreshed").contains(OperatorCode.REFRESH_REFUSED);
      assertThat(node.engine().explain("all", usage -> true).toString()).contains("CSI-715");
      assertThat(node.mountFails(NEW).code()).isEqualTo(OperatorCode.OPTIONS_DIFFER);

      refresh(node, OLD);
      assertThat(trouble(node)).isEmpty();
      assertThat(node.verbs(VOLUME)).doesNotContain("Unpublish");
      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void aPluginThatIsNotThereLeavesEverythingAsItIs() {
    try (Node node = mounted()) {
      node.plugin().stop();

      VolumeException failure = refreshFails(node, NEW);

      assertThat(failure.code()).isEqualTo(OperatorCode.PLUGIN_NOT_UP);
      assertThat(failure.outcome()).isEqualTo(REFUSED);
      assertMounted(node, 1);
      node.plugin().start();
      assertThat(node.mount(OLD).usage()).isEqualTo(WEB);
      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
    }
  }

  // ---- what is in doubt

  @Test
  void uncertainAnswersLeaveItMountedAndBothContextsPossible() {
    try (Node node = mounted()) {
      node.plugin()
          .inject(Fault.fail(StatusCode.INTERNAL, "no token"), When.calling(NODE_PUBLISH_VOLUME));

      VolumeException failure = refreshFails(node, NEW);

      assertThat(failure.code()).isEqualTo(OperatorCode.REFRESH_IN_DOUBT);
      assertThat(failure.outcome()).isEqualTo(IN_PROGRESS);
      assertThat(trouble(node)).contains(OperatorCode.REFRESH_IN_DOUBT);
      assertMounted(node, 1);
      assertThat(node.mount(OLD).usage()).isEqualTo(WEB);
      assertThat(node.mount(NEW).usage()).isEqualTo(WEB);
      node.plugin().clearFaults();
      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
    }
  }

  /** One whose plugin hangs in the next refresh; in its time a busy machine sends a call. */
  private static Node mountedWithARefreshThatHangs() {
    Node node = Node.open();
    node.volume("vol-1");
    node.mount(OLD);
    node.registerAgain(
        Node.QUICK.toBuilder().attempts(1).attemptDeadline(Duration.ofMillis(1500)).build());
    changes(node, "next-");
    node.plugin().inject(Fault.hang(), When.calling(NODE_PUBLISH_VOLUME).once());
    return node;
  }

  @Test
  void aCallThatMayGoOnKeepsItsOppositeAndOtherContextsWaiting() {
    try (Node node = mountedWithARefreshThatHangs()) {
      CompletableFuture<MountedVolume> hanging = node.engine().refresh(NEW);

      VolumeException failure = node.fails(hanging);

      assertThat(failure.code()).isEqualTo(OperatorCode.REFRESH_IN_DOUBT);
      assertThat(failure.outcome()).isEqualTo(IN_PROGRESS);
      assertMounted(node, 1);
      VolumeException other = refreshFails(node, with(OLD, "third-"));
      assertThat(other.code()).isEqualTo(OperatorCode.REFRESH_IN_DOUBT);
      assertThat(other.outcome()).isEqualTo(IN_PROGRESS);
      assertThat(node.unmountFails(WEB).code()).isEqualTo(OperatorCode.PUBLISH_IN_DOUBT);
      assertThat(node.calls()).as("neither was sent").hasSize(3);
      node.plugin().release();
      node.becomesClean();
    }
  }

  @Test
  void aMountAfterAReleaseThatWaitsForARefreshBringsNoOtherContexts() {
    try (Node node = mountedWithARefreshThatHangs()) {
      assertThat(refreshFails(node, NEW).code()).isEqualTo(OperatorCode.REFRESH_IN_DOUBT);
      assertThat(node.unmountFails(WEB).code()).isEqualTo(OperatorCode.PUBLISH_IN_DOUBT);

      VolumeException again = node.mountFails(OLD);

      assertThat(again.code()).isEqualTo(OperatorCode.PUBLISH_IN_DOUBT);
      assertThat(again.outcome()).isEqualTo(IN_PROGRESS);
      assertThat(node.calls()).as("nothing more was sent").hasSize(3);
      node.plugin().release();
      node.becomesClean();
    }
  }

  @Test
  void theSameCallIsMadeAgainWhileAnEarlierOneMayGoOn() {
    try (Node node = mounted()) {
      changes(node, "next-");
      node.plugin().inject(Fault.applyThenDrop(), When.calling(NODE_PUBLISH_VOLUME));
      assertThat(refreshFails(node, NEW).code()).isEqualTo(OperatorCode.REFRESH_IN_DOUBT);
      node.plugin().clearFaults();

      refresh(node, NEW);

      assertMounted(node, 1);
      assertThat(node.mountFails(OLD).code()).isEqualTo(OperatorCode.OPTIONS_DIFFER);
      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void anotherProcessOfThePluginTakesOtherContexts() {
    try (Node node = mounted()) {
      // There is no earlier work that an identical request would go on with: its process is gone.
      node.excuse(73);
      node.plugin().inject(Fault.applyThenDrop(), When.calling(NODE_PUBLISH_VOLUME));
      assertThat(refreshFails(node, OLD).code()).isEqualTo(OperatorCode.REFRESH_IN_DOUBT);
      node.plugin().clearFaults();

      node.restartPlugins();
      node.engine().pluginChanged(Node.PLUGIN);
      changes(node, "next-");
      refresh(node, NEW);

      assertMounted(node, 1);
      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
    }
  }

  // ---- killed on the way

  @ParameterizedTest
  @EnumSource(
      value = CrashPoint.class,
      names = {
        "INTENT_SAVED",
        "BEFORE_PUBLISH",
        "PUBLISH_ANSWERED",
        "TARGET_SEEN",
        "PUBLISHED_SAVED",
        "CALLER_TOLD"
      })
  void aProcessThatIsKilledOnTheWayLeavesItMountedAndSaysWhatIsInDoubt(CrashPoint point) {
    try (Node node = mounted()) {
      changes(node, "next-");
      node.dieAt(point);
      var unused = node.engine().refresh(NEW);
      node.awaitDeath();
      node.start();

      boolean isSaved = point == CrashPoint.PUBLISHED_SAVED || point == CrashPoint.CALLER_TOLD;
      assertThat(node.report().adopted()).containsExactly(WEB);
      assertThat(node.noticed(OperatorCode.REFRESH_IN_DOUBT)).isEqualTo(!isSaved);
      assertThat(trouble(node))
          .isEqualTo(isSaved ? Optional.empty() : Optional.of(OperatorCode.REFRESH_IN_DOUBT));
      node.reconcile(new WantedUse.Requested(NEW));
      assertMounted(node, 1);
      assertThat(node.verbs(VOLUME)).doesNotContain("Unpublish", "Unstage");

      refresh(node, NEW);
      assertThat(trouble(node)).isEmpty();
      assertThat(node.mountFails(OLD).code()).isEqualTo(OperatorCode.OPTIONS_DIFFER);
      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
    }
  }

  // ---- what a plugin makes of it

  @Test
  void aPluginThatStacksAnotherMountIsTold() {
    try (Node node = mounted()) {
      node.effects()
          .whenPublishing(
              publication ->
                  node.kernel()
                      .host()
                      .bind(node.stagingPath(VOLUME), node.targetPath("vol-1", "web")));

      refresh(node, OLD);

      assertMounted(node, 2);
      assertThat(
              node.notices().stream()
                  .filter(notice -> notice.code() == OperatorCode.STACKED_MOUNTS)
                  .map(OperatorMessage::line))
          .singleElement()
          .asString()
          .contains("the path had 1 mount and now has 2");
      node.effects().reform();
      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void aPluginThatTakesTheMountAwayIsFoundOut() {
    try (Node node = mounted()) {
      node.effects()
          .whenPublishing(
              publication -> node.kernel().host().detach(node.targetPath("vol-1", "web")));

      VolumeException failure = refreshFails(node, OLD);

      assertThat(failure.code()).isEqualTo(OperatorCode.MOUNT_LOST);
      assertThat(failure.outcome()).isEqualTo(HELD);
      Node.eventually("it is told", () -> node.noticed(OperatorCode.MOUNT_LOST));
      Node.eventually("it is in doubt", () -> node.target(VOLUME, "web") == PathStatus.IN_DOUBT);
      node.effects().reform();
      assertThat(node.mount(OLD).usage()).isEqualTo(WEB);
      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
    }
  }

  // ---- its turn

  @Test
  void aReleaseThatIsAskedForGoesFirst() {
    try (Node node = mounted()) {
      node.plugin().inject(Fault.hang(), When.calling(NODE_PUBLISH_VOLUME).once());
      CompletableFuture<MountedVolume> first = node.engine().refresh(OLD);
      node.awaitOpen(NODE_PUBLISH_VOLUME);
      CompletableFuture<MountedVolume> second = node.engine().refresh(OLD);
      CompletableFuture<UnmountOutcome> release = node.engine().unmount(WEB);

      assertThat(node.fails(second).code()).isEqualTo(OperatorCode.SUPERSEDED);
      node.plugin().release();

      node.get(first);
      assertThat(node.get(release)).isEqualTo(UnmountOutcome.LAST);
      assertThat(node.verbs(VOLUME))
          .containsExactly("Stage", "Publish", "Publish", "Unpublish", "Unstage");
    }
  }

  // ---- by the policy

  @Test
  void byThePolicyEachUseIsRefreshedInTurnAndSecretsAreAskedForEachTime() {
    AtomicInteger asked = new AtomicInteger();
    MountRequest request =
        OLD.toBuilder()
            .secrets(
                operation ->
                    Secrets.of(Map.of("token", asked.incrementAndGet() + "-" + Node.CANARY)))
            .build();
    try (Node node = Node.builder().policy(EACH_MINUTE).open()) {
      node.volume("vol-1");
      node.mount(request);

      for (int round = 1; round <= 3; round++) {
        int refreshes = round;
        node.skip(ROUND);
        Node.eventually("it is refreshed", () -> told(node).size() == refreshes);
      }

      assertThat(told(node)).containsExactly("OK", "OK", "OK");
      assertThat(asked).hasValue(5);
      assertMounted(node, 1);
      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
      node.skip(ROUND);
      assertThat(told(node)).hasSize(3);
    }
  }

  @Test
  void withoutAPolicyNothingIsRefreshed() {
    try (Node node = mounted()) {
      node.skip(Duration.ofDays(1));

      assertThat(node.calls()).containsExactly("Stage:OK", "Publish:OK");
      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void whatFailsByThePolicyIsToldAndTriedAgainWithTheNextRound() {
    try (Node node = Node.builder().policy(EACH_MINUTE).open()) {
      node.volume("vol-1");
      node.mount(OLD);
      List<Optional<OperatorCode>> seen = new CopyOnWriteArrayList<>();
      node.whenTold(
          event -> {
            if (event instanceof VolumeEvent.Ended ended
                && ended.started().operation() == VolumeEvent.Operation.REFRESH) {
              seen.add(trouble(node));
            }
          });
      node.plugin()
          .inject(
              Fault.fail(StatusCode.PERMISSION_DENIED, "the token is over"),
              When.calling(NODE_PUBLISH_VOLUME).once());

      node.skip(ROUND);
      Node.eventually("it has failed", () -> told(node).size() == 1);
      assertThat(trouble(node)).contains(OperatorCode.REFRESH_REFUSED);
      assertMounted(node, 1);
      node.skip(ROUND);
      Node.eventually("it is tried again, and told", () -> seen.size() == 2);

      assertThat(told(node)).containsExactly("REFRESH_REFUSED", "OK");
      assertThat(seen).containsExactly(Optional.of(OperatorCode.REFRESH_REFUSED), Optional.empty());
      assertThat(trouble(node)).isEmpty();
      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void whatThePluginMustNotBeAskedAgainIsNoMoreOfTheRoundsUntilTheRequestChanges() {
    try (Node node = Node.builder().policy(EACH_MINUTE).open()) {
      node.volume("vol-1");
      node.mount(OLD);
      node.plugin()
          .inject(
              Fault.fail(StatusCode.ALREADY_EXISTS, "it is published"),
              When.calling(NODE_PUBLISH_VOLUME).once());
      node.skip(ROUND);
      Node.eventually("it has failed", () -> told(node).size() == 1);

      node.mount(OLD);
      node.skip(Duration.ofHours(1));
      assertThat(told(node)).containsExactly("REFRESH_REFUSED");
      assertThat(trouble(node)).contains(OperatorCode.REFRESH_REFUSED);
      changes(node, "next-");
      refresh(node, NEW);
      node.skip(ROUND);
      Node.eventually("it is refreshed again", () -> told(node).size() == 3);

      assertThat(told(node)).containsExactly("REFRESH_REFUSED", "OK", "OK");
      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void aFileInThePlaceOfThePluginsSocketEndsNoRounds() throws IOException {
    try (Node node = Node.builder().policy(EACH_MINUTE).open()) {
      node.volume("vol-1");
      node.mount(OLD);
      node.plugin().stop();
      Path socket = node.plugin().endpoint().path();
      Files.delete(socket);
      Files.createFile(socket);
      node.restart();
      node.reconcile(new WantedUse.Requested(OLD));
      node.skip(ROUND);
      Node.eventually("it has failed", () -> told(node).size() == 1);
      Files.delete(socket);
      node.plugin().start();

      node.skip(ROUND);
      Node.eventually("it is tried again", () -> told(node).size() == 2);

      assertThat(told(node)).containsExactly("PLUGIN_NOT_UP", "OK");
      assertThat(trouble(node)).isEmpty();
      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void afterAStartTheHostsListSaysHowWhatIsThereIsRefreshed() {
    try (Node node = Node.builder().policy(EACH_MINUTE).open()) {
      node.volume("vol-1");
      node.mount(OLD);
      node.crash();
      node.startWithoutPlugins();
      node.skip(ROUND);

      node.reconcile(new WantedUse.Requested(OLD));
      node.registerAll();
      node.engine().pluginChanged(Node.PLUGIN);
      node.skip(ROUND);
      Node.eventually("it is refreshed", () -> told(node).size() == 1);

      assertThat(told(node)).containsExactly("OK");
      assertMounted(node, 1);
      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
    }
  }
}
