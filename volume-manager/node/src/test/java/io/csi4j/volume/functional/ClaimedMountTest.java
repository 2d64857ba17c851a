package io.csi4j.volume.functional;

import static io.csi4j.volume.functional.Node.eventually;
import static io.csi4j.volume.functional.Node.usage;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.internal.port.Claims;
import io.csi4j.volume.internal.port.CrashPoint;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.ClaimStanding;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeException.Outcome;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.MountedVolume;
import io.csi4j.volume.node.PathStatus;
import io.csi4j.volume.node.UnmountOutcome;
import io.csi4j.volume.node.WantedUse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A node holds itself to the claims that it was given. */
class ClaimedMountTest {

  private static final VolumeUse WEB = usage("vol-1", "web");
  private static final ClaimStanding STALE = new ClaimStanding.Stale(9);
  private static final ClaimStanding MISSING = new ClaimStanding.Missing();
  private static final ClaimStanding DOWN =
      new ClaimStanding.Unknown(new ReasonText("the store cannot be asked"));

  private final ScriptedClaims claims = new ScriptedClaims();

  private static Node open(Claims with) {
    return Node.builder().claims(with).open();
  }

  private static MountRequest claimed(String volume, String workload, long epoch) {
    return Node.request(volume, workload, AccessMode.MULTI_NODE_MULTI_WRITER)
        .claim(Node.grant(usage(volume, workload), epoch))
        .build();
  }

  private static List<OperatorMessage> told(Node node, OperatorCode code) {
    return node.notices().stream().filter(message -> message.code() == code).toList();
  }

  /** Lets the node look at its claims once. */
  private static void look(Node node, ScriptedClaims claims) {
    // An answer that is not taken in yet would be too late if time were skipped.
    int before = claims.dealtWith();
    eventually(
        "it has asked",
        () -> {
          if (claims.dealtWith() > before) {
            return true;
          }
          node.skip(ScriptedClaims.INTERVAL);
          return false;
        });
  }

  private static VolumeException refused(Node node, MountRequest request, OperatorCode code) {
    VolumeException failure = node.mountFails(request);
    assertThat(failure.code()).isEqualTo(code);
    assertThat(failure.outcome()).isEqualTo(Outcome.REFUSED);
    return failure;
  }

  @Test
  void aCurrentClaimIsAskedAboutBeforeEachCallAndOutlivesARestart() {
    try (Node node = open(claims)) {
      VolumeId volume = node.volume("vol-1");
      MountedVolume mounted = node.mount(claimed("vol-1", "web", 7));
      assertThat(mounted.usage()).isEqualTo(WEB);
      assertThat(claims.questions()).containsExactly("web@7", "web@7");
      assertThat(node.calls(volume)).containsExactly("Stage:OK", "Publish:OK");

      node.reboot();
      node.volume("vol-1");
      // The host has lost the epoch, and the record has not.
      assertThat(node.reconcile(new WantedUse.Requested(Node.shared("vol-1", "web"))).failed())
          .isZero();

      assertThat(claims.questions()).containsExactly("web@7", "web@7", "web@7", "web@7");
      assertThat(node.target(volume, "web")).isEqualTo(PathStatus.PRESENT);
      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  @Tag("K3")
  void anAnswerThatNeverComesMountsNothingAndHoldsUpNobodyElse() {
    try (Node node = open(claims)) {
      VolumeId volume = node.volume("vol-1");
      VolumeId other = node.volume("vol-2");
      claims.isSilent(WEB);
      CompletableFuture<MountedVolume> waiting = node.engine().mount(claimed("vol-1", "web", 7));
      eventually("it was asked", () -> claims.questions().size() == 1);

      node.mount(claimed("vol-2", "db", 3));

      assertThat(node.calls(other)).containsExactly("Stage:OK", "Publish:OK");
      assertThat(waiting).isNotDone();
      assertThat(node.engine().explain("vol-1", WEB::equals).toString())
          .contains("asking whether its claim is current");
      node.skip(ScriptedClaims.PATIENCE);
      VolumeException failure = node.fails(waiting);
      assertThat(failure.code())
          .as("K3: a claim that nobody confirms is refused")
          .isEqualTo(OperatorCode.CLAIM_UNCONFIRMED);
      assertThat(failure.outcome()).isEqualTo(Outcome.REFUSED);
      assertThat(failure)
          .hasMessageContaining(
              "its claim has epoch 7, but it cannot be confirmed: there was no answer within"
                  + " 10000 ms");
      assertThat(node.calls(volume)).as("K3: nothing is staged or published").isEmpty();
      assertThat(node.status(volume)).isEmpty();
      assertThat(node.unmount(usage("vol-2", "db"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void aReleaseDoesNotWaitForTheAnswer() {
    try (Node node = open(claims)) {
      VolumeId volume = node.volume("vol-1");
      claims.isSilent(WEB);
      CompletableFuture<MountedVolume> waiting = node.engine().mount(claimed("vol-1", "web", 7));
      eventually("it was asked", () -> claims.questions().size() == 1);

      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);

      assertThat(node.fails(waiting).code()).isEqualTo(OperatorCode.SUPERSEDED);
      assertThat(node.calls(volume)).doesNotContain("Stage:OK", "Publish:OK");
    }
  }

  @Test
  void etcd11456_aStaleEpochAcquiresNothingAndBothEpochsAreNamed() {
    try (Node node = open(claims)) {
      VolumeId volume = node.volume("vol-1");
      claims.is(WEB, STALE);

      VolumeException failure = refused(node, claimed("vol-1", "web", 7), OperatorCode.FENCED);

      assertThat(failure)
          .hasMessageContaining("its claim has epoch 7, and the volume's is 9 by now");
      assertThat(node.calls(volume)).isEmpty();
      assertThat(node.isClean()).isTrue();
    }
  }

  @Test
  void aGrantThatReachedTheWrongNodeMountsNothing() {
    try (Node node = open(claims)) {
      VolumeId volume = node.volume("vol-1");
      ClaimGrant ours = Node.grant(WEB, 7);
      ClaimGrant theirs = new ClaimGrant(WEB, NodeName.of("n2"), 7, ours.mode(), ours.context());

      VolumeException failure =
          refused(
              node,
              Node.request("vol-1", "web", AccessMode.MULTI_NODE_MULTI_WRITER)
                  .claim(theirs)
                  .build(),
              OperatorCode.CLAIM_MISSING);

      assertThat(failure)
          .hasMessageContaining("it was claimed for node 'n2', and this is node 'n1'");
      assertThat(claims.questions()).isEmpty();
      assertThat(node.calls(volume)).isEmpty();
      assertThat(node.isClean()).isTrue();
    }
  }

  @Test
  void aNodeThatComesBackReleasesItsMountsInsteadOfMountingAgain() {
    try (Node node = open(claims)) {
      VolumeId volume = node.volume("vol-1");
      node.mount(claimed("vol-1", "web", 7));
      node.restart();
      claims.is(WEB, STALE);

      refused(node, claimed("vol-1", "web", 7), OperatorCode.FENCED_WHILE_MOUNTED);

      assertThat(node.calls(volume))
          .containsExactly("Stage:OK", "Publish:OK", "Unpublish:OK", "Unstage:OK");
      assertThat(node.isClean()).isTrue();
    }
  }

  @Test
  void afterARebootNothingIsPublishedAgainWithoutACurrentClaim() {
    try (Node node = open(claims)) {
      VolumeId volume = node.volume("vol-1");
      node.mount(claimed("vol-1", "web", 7));
      node.reboot();
      node.volume("vol-1");
      claims.is(WEB, STALE);

      assertThat(node.reconcile(new WantedUse.Requested(claimed("vol-1", "web", 7))).failed())
          .isEqualTo(1);

      assertThat(node.calls(volume)).startsWith("Stage:OK", "Publish:OK");
      assertThat(node.calls(volume).subList(2, node.calls(volume).size()))
          .doesNotContain("Stage:OK", "Publish:OK");
      node.becomesClean();
    }
  }

  @Test
  @Tag("K10")
  void aNodeThatWasFencedWhileMountedSaysSoAndReleases() {
    try (Node node = open(claims)) {
      VolumeId volume = node.volume("vol-1");
      node.reconcile();
      node.mount(claimed("vol-1", "web", 7));
      claims.is(WEB, STALE);

      look(node, claims);

      node.becomesClean();
      assertThat(node.calls(volume))
          .as("K10: it gives back what it has")
          .containsExactly("Stage:OK", "Publish:OK", "Unpublish:OK", "Unstage:OK");
      List<OperatorMessage> told = told(node, OperatorCode.FENCED_WHILE_MOUNTED);
      assertThat(told(node, OperatorCode.FENCED_WHILE_MOUNTED)).as("K10: it says so").hasSize(1);
      assertThat(told.get(0).seen().text())
          .isEqualTo("its claim has epoch 7, and the volume's is 9 by now");
    }
  }

  @Test
  void aUseWhoseMountIsGoneIsGivenBackOnceItsClaimIsOver() {
    try (Node node = open(claims)) {
      VolumeId volume = node.volume("vol-1");
      node.mount(claimed("vol-1", "web", 7));
      node.reboot();
      node.volume("vol-1");
      // The host knows its name alone, as an agent whose orders do not have it any more.
      node.reconcile(new WantedUse.Named(WEB));
      look(node, claims);
      assertThat(node.target(volume, "web"))
          .as("the claim is current: the host may ask for the mount again")
          .isEqualTo(PathStatus.IN_DOUBT);
      claims.is(WEB, DOWN);
      look(node, claims);
      assertThat(node.target(volume, "web")).isEqualTo(PathStatus.IN_DOUBT);
      claims.is(WEB, STALE);

      look(node, claims);

      node.becomesClean();
      assertThat(told(node, OperatorCode.FENCED_WHILE_MOUNTED)).as("nothing was mounted").isEmpty();
    }
  }

  /** The answer is true, and about a claim that the use has no more when it is acted on. */
  @Test
  void theEndOfAnOldClaimTakesNoMountThatWaitsUnderALaterOne() {
    try (Node node = open(claims)) {
      VolumeId volume = node.volume("vol-1");
      node.mount(claimed("vol-1", "web", 7));
      node.reboot();
      node.volume("vol-1");
      node.reconcile(new WantedUse.Named(WEB));
      claims.keeps(WEB);
      look(node, claims);
      VolumeUse db = usage("vol-1", "db");
      claims.keeps(db);
      CompletableFuture<MountedVolume> first = node.engine().mount(claimed("vol-1", "db", 8));
      eventually("it was asked", () -> claims.questions().contains("db@8"));
      CompletableFuture<MountedVolume> second = node.engine().mount(claimed("vol-1", "web", 9));

      claims.answer(WEB, STALE);
      claims.answer(db, new ClaimStanding.Current());

      assertThat(node.get(first).usage()).isEqualTo(db);
      assertThat(node.get(second).usage()).isEqualTo(WEB);
      // It comes after the release in the queue of the volume.
      assertThat(node.mount(claimed("vol-1", "log", 1)).usage()).isEqualTo(usage("vol-1", "log"));
      assertThat(node.target(volume, "web")).isEqualTo(PathStatus.PRESENT);
      assertThat(node.calls(volume)).doesNotContain("Unpublish:OK");
      node.leavesSomething();
      assertThat(told(node, OperatorCode.FENCED_WHILE_MOUNTED)).isEmpty();
    }
  }

  /** What is in doubt may be mounted, and a workload may use it. */
  @Test
  void aMountInDoubtWhoseClaimIsOverIsToldOf() {
    try (Node node = open(claims)) {
      VolumeId volume = node.volume("vol-1");
      node.dieAt(CrashPoint.PUBLISH_ANSWERED);
      var unused = node.engine().mount(claimed("vol-1", "web", 7));
      node.awaitDeath();
      node.start();
      node.reconcile(new WantedUse.Named(WEB));
      assertThat(node.target(volume, "web")).isEqualTo(PathStatus.IN_DOUBT);
      claims.is(WEB, STALE);

      look(node, claims);

      node.becomesClean();
      assertThat(told(node, OperatorCode.FENCED_WHILE_MOUNTED)).hasSize(1);
    }
  }

  @Test
  @Tag("K9")
  void aClaimThatWasRemovedKeepsItsWorkloadAndGetsNoNewOne() {
    try (Node node = open(claims)) {
      VolumeId volume = node.volume("vol-1");
      node.reconcile();
      node.mount(claimed("vol-1", "web", 7));
      claims.is(WEB, MISSING);
      claims.is(usage("vol-1", "db"), MISSING);

      look(node, claims);
      look(node, claims);
      refused(node, claimed("vol-1", "db", 8), OperatorCode.CLAIM_MISSING);

      assertThat(node.target(volume, "web"))
          .as("K9: what runs goes on")
          .isEqualTo(PathStatus.PRESENT);
      assertThat(told(node, OperatorCode.CLAIM_MISSING)).as("K9: told once").hasSize(1);
      assertThat(node.calls(volume)).containsExactly("Stage:OK", "Publish:OK");
      // Claimed again by its host, it goes on under the new claim.
      claims.is(WEB, new ClaimStanding.Current());
      node.mount(claimed("vol-1", "web", 11));
      look(node, claims);
      assertThat(claims.questions()).endsWith("web@11");
      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void whileTheStoreIsDownNothingNewIsMountedAndWhatRunsStays() {
    try (Node node = open(claims)) {
      VolumeId volume = node.volume("vol-1");
      node.reconcile();
      node.mount(claimed("vol-1", "web", 7));
      claims.is(WEB, DOWN);
      claims.is(usage("vol-1", "db"), DOWN);

      look(node, claims);
      look(node, claims);
      refused(node, claimed("vol-1", "db", 8), OperatorCode.CLAIM_UNCONFIRMED);

      assertThat(told(node, OperatorCode.CLAIM_UNCONFIRMED)).hasSize(1);
      assertThat(node.target(volume, "web")).isEqualTo(PathStatus.PRESENT);
      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  @Tag("K6")
  void aWorkloadGoesOnFromTheRecordWhereTheHostSaysSo() {
    ScriptedClaims lenient =
        new ScriptedClaims(ScriptedClaims.usual().toBuilder().goesOnFromRecord(true).build());
    try (Node node = open(lenient)) {
      VolumeId volume = node.volume("vol-1");
      node.mount(claimed("vol-1", "web", 7));
      node.reboot();
      node.volume("vol-1");
      lenient.is(WEB, DOWN);
      lenient.is(usage("vol-1", "db"), DOWN);

      assertThat(node.reconcile(new WantedUse.Requested(claimed("vol-1", "web", 7))).failed())
          .isZero();
      refused(node, claimed("vol-1", "db", 8), OperatorCode.CLAIM_UNCONFIRMED);

      assertThat(node.target(volume, "web")).isEqualTo(PathStatus.PRESENT);
      assertThat(told(node, OperatorCode.CLAIM_STORE_DOWN).get(0).seen().text())
          .as("K6: going on from the record is told")
          .isEqualTo(
              "its claim has epoch 7, but it cannot be confirmed: the store cannot be asked, and "
                  + "it continues from its record");
      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void aNodeFencesItselfOnlyWhereTheHostSaysSoAndNotBeforeItsTime() {
    ScriptedClaims strict =
        new ScriptedClaims(
            ScriptedClaims.usual().toBuilder().selfFence(Duration.ofDays(3)).build());
    try (Node node = open(strict)) {
      VolumeId volume = node.volume("vol-1");
      node.reconcile();
      node.mount(claimed("vol-1", "web", 7));
      look(node, strict);
      strict.is(WEB, DOWN);
      look(node, strict);
      node.skip(Duration.ofDays(1));
      look(node, strict);
      assertThat(node.target(volume, "web")).isEqualTo(PathStatus.PRESENT);
      assertThat(told(node, OperatorCode.SELF_FENCED)).isEmpty();

      node.skip(Duration.ofDays(3));

      node.becomesClean();
      assertThat(told(node, OperatorCode.CLAIM_UNCONFIRMED)).hasSize(1);
      assertThat(told(node, OperatorCode.SELF_FENCED)).hasSize(1);
      assertThat(node.calls(volume))
          .containsExactly("Stage:OK", "Publish:OK", "Unpublish:OK", "Unstage:OK");
    }
  }

  @Test
  void aManagerThatWasToldNothingOfClaimsMountsNothingUnderOne() {
    try (Node node = Node.open()) {
      VolumeId volume = node.volume("vol-1");

      VolumeException failure =
          refused(node, claimed("vol-1", "web", 7), OperatorCode.CLAIM_UNCONFIRMED);

      assertThat(failure).hasMessageContaining("the manager was opened without claims");
      assertThat(node.calls(volume)).isEmpty();
    }
  }
}
