package io.csi4j.volume.functional;

import static io.csi4j.client.model.CsiOperation.NODE_PUBLISH_VOLUME;
import static io.csi4j.client.model.CsiOperation.NODE_UNPUBLISH_VOLUME;
import static io.csi4j.client.model.CsiOperation.NODE_UNSTAGE_VOLUME;
import static io.csi4j.volume.functional.Node.shared;
import static io.csi4j.volume.functional.Node.single;
import static io.csi4j.volume.functional.Node.usage;
import static io.csi4j.volume.model.VolumeException.Outcome.IN_PROGRESS;
import static io.csi4j.volume.model.VolumeException.Outcome.REFUSED;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeId;
import io.csi4j.mount.model.MountPath;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.PathStatus;
import io.csi4j.volume.node.UnmountOutcome;
import io.csi4j.volume.node.WantedUse;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A plugin that fails to release what is gone already, again and again. */
class RefusedReleaseTest {

  private static final VolumeId VOLUME = VolumeId.of("vol-1");
  private static final VolumeUse WEB = usage("vol-1", "web");
  private static final Fault REFUSING = Fault.fail(StatusCode.UNKNOWN, "");

  /** A plugin that has forgotten the use after its first answer, and admits no release. */
  private static final Fault FORGETTING = Fault.applyThenFail(StatusCode.UNKNOWN, "");

  /** A use whose unpublish has worked, which the plugin does not admit. */
  private static void unpublishedButRefused(Node node) {
    node.volume("vol-1");
    node.mount(single("vol-1", "web"));
    node.plugin().inject(Fault.applyThenDrop(), When.calling(NODE_UNPUBLISH_VOLUME).once());
    node.plugin().inject(REFUSING, When.calling(NODE_UNPUBLISH_VOLUME));
  }

  private static CompletableFuture<UnmountOutcome> abandon(Node node) {
    return node.engine().abandon(WEB, "the plugin's vendor says so");
  }

  private static long refusals(Node node) {
    return node.calls().stream().filter("Unpublish:UNKNOWN"::equals).count();
  }

  @Test
  void isBelievedByTheMountTableAfterFiveRefusalsInTwoMinutes() {
    try (Node node = Node.open()) {
      unpublishedButRefused(node);

      VolumeException failure = node.unmountFails(WEB);

      assertThat(failure.outcome()).isEqualTo(IN_PROGRESS);
      assertThat(failure.code()).isEqualTo(OperatorCode.UNPUBLISH_IN_DOUBT);
      node.skip(Duration.ofSeconds(30));
      Node.eventually("it is refused often", () -> refusals(node) >= MountPolicy.REFUSALS);
      assertThat(node.target(VOLUME, "web")).isEqualTo(PathStatus.GOING);
      assertThat(node.noticed(OperatorCode.RELEASED_WITHOUT_CONFIRMATION)).isFalse();
      node.becomesClean();
      assertThat(
              node.notices().stream()
                  .filter(it -> it.code() == OperatorCode.RELEASED_WITHOUT_CONFIRMATION)
                  .map(OperatorMessage::line))
          .singleElement()
          .asString()
          .contains("vol-1", "web", "nothing is mounted", "UNKNOWN");
      assertThat(node.calls()).endsWith("Unstage:OK");
      assertThat(node.plugin().verdict().lawful()).isTrue();
      assertThat(node.plugin().verdict().excused())
          .extracting(breach -> breach.duty().number())
          .containsExactly(142, 143);
      assertThat(node.plugin().verdict().describe()).contains("Excused");
      node.plugin().clearFaults();
      node.mount(single("vol-1", "web"));
      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void isBelievedAfterAPersonHasUnmountedIt() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      node.kernel().host().detach(node.targetPath("vol-1", "web"));
      node.plugin().inject(FORGETTING, When.calling(NODE_UNPUBLISH_VOLUME));

      givesUpAfterFiveRefusalsInTwoMinutes(node);
    }
  }

  @Test
  void isBelievedInANewMountNamespaceThatDoesNotShowTheMount() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      node.crash();
      node.changeNamespace();
      node.kernel().host().detach(node.targetPath("vol-1", "web"));
      node.kernel().host().detach(node.stagingPath(VOLUME));
      node.start();
      assertThat(node.target(VOLUME, "web")).isEqualTo(PathStatus.IN_DOUBT);
      node.plugin().inject(FORGETTING, When.calling(NODE_UNPUBLISH_VOLUME));

      givesUpAfterFiveRefusalsInTwoMinutes(node);
    }
  }

  /** Unmounts; the use goes after both bounds are reached and not before the second. */
  private static void givesUpAfterFiveRefusalsInTwoMinutes(Node node) {
    long before = refusals(node);
    VolumeException failure = node.unmountFails(WEB);
    assertThat(failure.outcome()).isEqualTo(IN_PROGRESS);
    assertThat(failure.code()).isEqualTo(OperatorCode.UNPUBLISH_IN_DOUBT);
    node.skip(Duration.ofSeconds(30));
    Node.eventually("it is refused often", () -> refusals(node) >= before + MountPolicy.REFUSALS);
    assertThat(node.target(VOLUME, "web")).isEqualTo(PathStatus.GOING);
    assertThat(node.noticed(OperatorCode.RELEASED_WITHOUT_CONFIRMATION)).isFalse();

    node.becomesClean();

    assertThat(node.noticed(OperatorCode.RELEASED_WITHOUT_CONFIRMATION)).isTrue();
    assertThat(node.calls()).endsWith("Unstage:OK");
    node.plugin().clearFaults();
    node.mount(single("vol-1", "web"));
    assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
  }

  @Test
  void isNotBelievedWhileSomethingIsMounted() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      node.plugin().inject(REFUSING, When.calling(NODE_UNPUBLISH_VOLUME));

      assertThat(node.unmountFails(WEB).code()).isEqualTo(OperatorCode.UNPUBLISH_IN_DOUBT);
      node.inTheEnd("it is refused often", () -> refusals(node) >= 30);

      assertThat(node.target(VOLUME, "web")).isEqualTo(PathStatus.GOING);
      assertThat(node.verbs(VOLUME)).doesNotContain("Unstage");
      VolumeException refused = node.fails(abandon(node));
      assertThat(refused.outcome()).isEqualTo(REFUSED);
      assertThat(refused.code()).isEqualTo(OperatorCode.STILL_MOUNTED);
      assertThat(refused.getMessage())
          .contains("umount", node.targetPath("vol-1", "web").toString());
    }
  }

  @Test
  void isNeverBelievedWhereThePolicySaysSo() {
    try (Node node =
        Node.builder().policy(Node.QUICK.toBuilder().releaseUnconfirmed(false).build()).open()) {
      unpublishedButRefused(node);

      assertThat(node.unmountFails(WEB).outcome()).isEqualTo(IN_PROGRESS);
      node.inTheEnd("it is refused often", () -> refusals(node) >= 40);

      assertThat(node.target(VOLUME, "web")).isEqualTo(PathStatus.GOING);
      assertThat(node.get(abandon(node))).isEqualTo(UnmountOutcome.LAST);
      assertThat(node.isClean()).isTrue();
      assertThat(
              node.notices().stream()
                  .filter(it -> it.code() == OperatorCode.ABANDONED)
                  .map(OperatorMessage::line))
          .singleElement()
          .asString()
          .contains("vol-1", "web", "the plugin's vendor says so");
    }
  }

  @Test
  void aStagingThatIsNotReleasedCanBeAbandonedToo() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      node.plugin().inject(Fault.applyThenDrop(), When.calling(NODE_UNSTAGE_VOLUME).once());
      node.plugin().inject(REFUSING, When.calling(NODE_UNSTAGE_VOLUME));
      assertThat(node.unmountFails(WEB).code()).isEqualTo(OperatorCode.UNSTAGE_IN_DOUBT);

      assertThat(node.get(abandon(node))).isEqualTo(UnmountOutcome.LAST);

      assertThat(node.isClean()).isTrue();
      assertThat(node.noticed(OperatorCode.ABANDONED)).isTrue();
      assertThat(node.get(abandon(node))).isEqualTo(UnmountOutcome.UNKNOWN);
    }
  }

  @Test
  void theReasonStaysOnRecordWhileOthersHaveTheVolume() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(shared("vol-1", "web"));
      node.mount(shared("vol-1", "db"));
      node.plugin().inject(Fault.applyThenDrop(), When.calling(NODE_UNPUBLISH_VOLUME).once());
      node.plugin().inject(REFUSING, When.calling(NODE_UNPUBLISH_VOLUME));
      assertThat(node.unmountFails(WEB).outcome()).isEqualTo(IN_PROGRESS);

      assertThat(node.get(abandon(node))).isEqualTo(UnmountOutcome.NOT_LAST);
      node.plugin().clearFaults();
      node.restart();

      assertThat(node.status(VOLUME).orElseThrow().abandoned())
          .containsExactly(Map.entry(WEB, "the plugin's vendor says so"));
      assertThat(node.engine().explain("vol-1", usage("vol-1", "db")::equals).toString())
          .contains("'web'", "abandoned by an operator, who said: the plugin's vendor says so");
      node.mount(shared("vol-1", "web"));
      assertThat(node.status(VOLUME).orElseThrow().abandoned()).isEmpty();
      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.NOT_LAST);
      assertThat(node.unmount(usage("vol-1", "db"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void whatIsMountedAndWellIsNotAbandoned() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));

      assertThat(node.fails(abandon(node)).code()).isEqualTo(OperatorCode.NOT_ALLOWED_HERE);

      assertThat(node.target(VOLUME, "web")).isEqualTo(PathStatus.PRESENT);
      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
    }
  }

  // ---- a mount that failed, and was never seen

  /** A mount that fails, on a plugin whose unpublish fails where nothing is mounted. */
  private static void mountFailed(Node node) {
    node.volume("vol-1");
    node.plugin().inject(REFUSING, When.calling(NODE_PUBLISH_VOLUME).times(Node.QUICK.attempts()));
    node.plugin().inject(REFUSING, When.calling(NODE_UNPUBLISH_VOLUME));
    mountFails(node, OperatorCode.FAILED_IN_DOUBT);
  }

  private static void mountFails(Node node, OperatorCode code) {
    mountFails(node, single("vol-1", "web"), code);
  }

  private static void mountFails(Node node, MountRequest request, OperatorCode code) {
    VolumeException failure = node.mountFails(request);
    assertThat(failure.outcome()).isEqualTo(IN_PROGRESS);
    assertThat(failure.code()).isEqualTo(code);
    assertThat(node.target(VOLUME, "web")).isEqualTo(PathStatus.GOING);
  }

  @Test
  void isBelievedWhereAMountFailedAndEveryPublishWasAnswered() {
    try (Node node = Node.open()) {
      mountFailed(node);

      givesUpAfterFiveRefusalsInTwoMinutes(node);
    }
  }

  @Test
  void isBelievedWhereAMountFailedBeforeTheHostWasStartedAgain() {
    try (Node node = Node.open()) {
      mountFailed(node);
      node.restart();

      givesUpAfterFiveRefusalsInTwoMinutes(node);
    }
  }

  @Test
  void isBelievedWhereAMountFailedBeforeTheHostWasBooted() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      unanswered(node);
      node.reboot();
      node.volume("vol-1");
      node.plugin().inject(REFUSING, When.calling(NODE_UNPUBLISH_VOLUME));

      givesUpAfterFiveRefusalsInTwoMinutes(node);
    }
  }

  @Test
  void isBelievedWhereTheNextMountFailedAfterTheFirstWasLost() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      node.crash();
      node.kernel().host().detach(node.targetPath("vol-1", "web"));
      node.start();
      node.plugin()
          .inject(REFUSING, When.calling(NODE_PUBLISH_VOLUME).times(Node.QUICK.attempts()));
      node.plugin().inject(FORGETTING, When.calling(NODE_UNPUBLISH_VOLUME));
      mountFails(node, OperatorCode.FAILED_IN_DOUBT);

      givesUpAfterFiveRefusalsInTwoMinutes(node);
    }
  }

  /** A mount whose publish is never answered, until it is no longer taken to be going on. */
  private static void unanswered(Node node) {
    unanswered(node, single("vol-1", "web"));
  }

  private static void unanswered(Node node, MountRequest request) {
    node.plugin().inject(Fault.drop(), When.calling(NODE_PUBLISH_VOLUME));
    node.plugin().inject(REFUSING, When.calling(NODE_UNPUBLISH_VOLUME));
    mountFails(node, request, OperatorCode.PUBLISH_IN_DOUBT);
    node.plugin().clearFaults();
    node.plugin().inject(REFUSING, When.calling(NODE_UNPUBLISH_VOLUME));
    node.inTheEnd("it is refused often", () -> refusals(node) >= 2 * MountPolicy.REFUSALS);
    node.skip(MountPolicy.REFUSED_FOR);
    node.inTheEnd("it is refused again", () -> refusals(node) >= 4 * MountPolicy.REFUSALS);
    assertThat(node.target(VOLUME, "web")).isEqualTo(PathStatus.GOING);
  }

  @Test
  void isNotBelievedWhileAPublishMayNotHaveEnded() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      unanswered(node);
      assertThat(node.noticed(OperatorCode.RELEASED_WITHOUT_CONFIRMATION)).isFalse();
      mountFails(node, OperatorCode.UNPUBLISH_IN_DOUBT);

      node.restart();

      long before = refusals(node);
      assertThat(node.unmountFails(WEB).code()).isEqualTo(OperatorCode.UNPUBLISH_IN_DOUBT);
      node.inTheEnd("it is refused often", () -> refusals(node) >= before + 20);
      assertThat(node.target(VOLUME, "web")).isEqualTo(PathStatus.GOING);

      node.restartPlugins();

      node.becomesClean();
      assertThat(node.noticed(OperatorCode.RELEASED_WITHOUT_CONFIRMATION)).isTrue();
    }
  }

  @Test
  void isBelievedOnceThePluginIsAnotherProcessThanAfterTheStart() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      unanswered(node, shared("vol-1", "web"));
      node.mount(shared("vol-1", "db"));
      // What is on record of the first use does not name the process any more.
      node.restart();
      long before = refusals(node);
      assertThat(node.unmountFails(WEB).code()).isEqualTo(OperatorCode.UNPUBLISH_IN_DOUBT);
      node.inTheEnd("it is refused often", () -> refusals(node) >= before + 20);
      assertThat(node.target(VOLUME, "web")).isEqualTo(PathStatus.GOING);

      node.restartPlugins();

      node.inTheEnd("it is given up", () -> node.target(VOLUME, "web") == PathStatus.NONE);
      assertThat(node.noticed(OperatorCode.RELEASED_WITHOUT_CONFIRMATION)).isTrue();
      assertThat(node.target(VOLUME, "db")).isEqualTo(PathStatus.PRESENT);
      node.plugin().clearFaults();
      assertThat(node.unmount(usage("vol-1", "db"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void isBelievedOfAUseThatCameLateOnceThePluginIsAnotherProcess() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(shared("vol-1", "db"));
      MountPath late = node.targetPath("vol-1", "web");
      // The plugin of this test never published there.
      node.excuse(556);
      node.kernel().host().directory(late);
      node.kernel().host().tmpfs(late);
      node.restart();
      node.kernel().host().detach(late);
      node.plugin().inject(REFUSING, When.calling(NODE_UNPUBLISH_VOLUME));
      node.reconcile(new WantedUse.Requested(shared("vol-1", "db")));
      node.inTheEnd("it is refused often", () -> refusals(node) >= 20);
      assertThat(node.users(VOLUME)).hasSize(2);

      node.restartPlugins();

      node.inTheEnd("it is given up", () -> node.users(VOLUME).size() == 1);
      assertThat(node.noticed(OperatorCode.RELEASED_WITHOUT_CONFIRMATION)).isTrue();
      assertThat(node.target(VOLUME, "db")).isEqualTo(PathStatus.PRESENT);
      node.plugin().clearFaults();
      assertThat(node.unmount(usage("vol-1", "db"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  // ---- and is asked for again

  @Test
  void aMountThatFailedIsMadeByTheNextRequestForTheSame() {
    try (Node node = Node.open()) {
      mountFailed(node);

      node.mount(single("vol-1", "web"));

      assertThat(node.target(VOLUME, "web")).isEqualTo(PathStatus.PRESENT);
      assertThat(node.calls()).endsWith("Unpublish:UNKNOWN", "Publish:OK");
      assertThat(node.noticed(OperatorCode.RELEASED_WITHOUT_CONFIRMATION)).isFalse();
      assertThat(node.plugin().verdict().lawful()).isTrue();
      node.plugin().clearFaults();
      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void aMountThatFailedIsMadeByTheNextRequestAfterTheHostWasStartedAgain() {
    try (Node node = Node.open()) {
      mountFailed(node);
      node.restart();

      node.mount(single("vol-1", "web"));

      assertThat(node.target(VOLUME, "web")).isEqualTo(PathStatus.PRESENT);
      node.plugin().clearFaults();
      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void aMountThatFailedIsNotMadeInAnotherWayBeforeItIsReleased() {
    try (Node node = Node.open()) {
      mountFailed(node);
      MountRequest otherwise =
          Node.request("vol-1", "web", AccessMode.SINGLE_NODE_WRITER).readOnly(true).build();

      VolumeException failure = node.mountFails(otherwise);

      assertThat(failure.outcome()).isEqualTo(IN_PROGRESS);
      assertThat(failure.code()).isEqualTo(OperatorCode.UNPUBLISH_IN_DOUBT);
      assertThat(node.calls()).endsWith("Unpublish:UNKNOWN");
      node.becomesClean();
      assertThat(node.noticed(OperatorCode.RELEASED_WITHOUT_CONFIRMATION)).isTrue();
    }
  }
}
