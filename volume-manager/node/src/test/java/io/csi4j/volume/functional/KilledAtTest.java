package io.csi4j.volume.functional;

import static io.csi4j.client.model.CsiOperation.NODE_PUBLISH_VOLUME;
import static io.csi4j.client.model.CsiOperation.NODE_STAGE_VOLUME;
import static io.csi4j.volume.functional.Node.single;
import static io.csi4j.volume.functional.Node.usage;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.VolumeId;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.volume.internal.port.CrashPoint;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.node.MountedVolume;
import io.csi4j.volume.node.PathStatus;
import io.csi4j.volume.node.UnmountOutcome;
import io.csi4j.volume.node.WantedUse;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The calls that the next process makes, and what it tells, after the last one was killed at one
 * named moment.
 */
class KilledAtTest {

  private static final VolumeId VOLUME = VolumeId.of("vol-1");
  private static final VolumeUse WEB = usage("vol-1", "web");
  private static final WantedUse WANTED = new WantedUse.Requested(single("vol-1", "web"));

  /** A node whose process was killed at this moment of a mount, and started again. */
  private static Node mounting(CrashPoint point) {
    Node node = Node.open();
    node.volume("vol-1");
    node.dieAt(point);
    var unused = node.engine().mount(single("vol-1", "web"));
    node.awaitDeath();
    node.start();
    return node;
  }

  /** A node whose process was killed at this moment of a release, and started again. */
  private static Node releasing(CrashPoint point) {
    Node node = Node.open();
    node.volume("vol-1");
    node.mount(single("vol-1", "web"));
    node.dieAt(point);
    var unused = node.engine().unmount(WEB);
    node.awaitDeath();
    node.start();
    return node;
  }

  /** A node whose process was killed while the plugin had this call of a mount. */
  private static Node asking(CsiOperation operation) {
    Node node = Node.open();
    node.volume("vol-1");
    node.plugin().inject(Fault.hang(), When.calling(operation).once());
    var unused = node.engine().mount(single("vol-1", "web"));
    node.awaitOpen(operation);
    node.restart();
    return node;
  }

  private static List<OperatorCode> told(Node node) {
    return node.notices().stream().map(OperatorMessage::code).toList();
  }

  @Tag("A5")
  @Test
  void withTheIntentAloneOnRecordTheVolumeIsStagedIfItIsWanted() {
    try (Node node = mounting(CrashPoint.INTENT_SAVED)) {
      node.reconcile(WANTED);

      assertThat(node.calls())
          .as("A5: staged and published, as it was meant")
          .containsExactly("Stage:OK", "Publish:OK");
      assertThat(told(node)).as("A5: that it goes on is told").contains(OperatorCode.RESUMED);
      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Tag("A5")
  @Test
  void withTheIntentAloneOnRecordTheVolumeIsUnstagedOnceIfItIsNotWanted() {
    try (Node node = mounting(CrashPoint.INTENT_SAVED)) {
      node.reconcile();
      node.becomesClean();

      assertThat(node.verbs(VOLUME).stream().filter("Unstage"::equals))
          .as("A5: unstaged once")
          .hasSize(1);
      assertThat(node.verbs(VOLUME))
          .as("A5: and nothing is staged or published")
          .doesNotContain("Stage", "Publish");
      assertThat(told(node)).as("A5: that is told").containsOnlyOnce(OperatorCode.ROLLED_BACK);
    }
  }

  @Tag("A6")
  @Test
  void aDirectoryWithoutACallIsGoneOnWith() {
    try (Node node = mounting(CrashPoint.VOLUME_PREPARED)) {
      assertThat(node.directories()).as("A6: what the last process made").hasSize(1);
      node.reconcile(WANTED);

      assertThat(node.calls())
          .as("A6: it does not stop the next start")
          .containsExactly("Stage:OK", "Publish:OK");
      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Tag("A7")
  @Test
  void aStagingThatThePluginStillHasIsRepeatedAndNotUndone() {
    try (Node node = asking(NODE_STAGE_VOLUME)) {
      assertThat(node.staging(VOLUME))
          .as("A7: it is in doubt after the start")
          .isEqualTo(PathStatus.IN_DOUBT);
      node.reconcile(WANTED);

      assertThat(node.calls())
          .as("A7: it is repeated, and nothing is undone")
          .containsExactly("Stage:abandoned", "Stage:OK", "Publish:OK");
      node.plugin().release();
      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Tag("A8")
  @Test
  void nomad8605_aStagingWhoseAnswerWasNotRecordedIsAskedForAgain() {
    try (Node node = mounting(CrashPoint.STAGE_ANSWERED)) {
      node.reconcile(WANTED);

      assertThat(node.calls())
          .as("A8: it is asked for again")
          .containsExactly("Stage:OK", "Stage:OK", "Publish:OK");
      assertThat(told(node)).as("A8: that is told").containsOnlyOnce(OperatorCode.RESUMED);
      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Tag("A9")
  @Test
  void aStagingOnRecordIsNotAskedForAgain() {
    try (Node node = mounting(CrashPoint.STAGED_SAVED)) {
      assertThat(node.staging(VOLUME))
          .as("A9: what is on record and mounted is taken over")
          .isEqualTo(PathStatus.PRESENT);
      node.reconcile(WANTED);

      assertThat(node.verbs(VOLUME)).as("A9: without a call").containsExactly("Stage", "Publish");
      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Tag("A10")
  @Test
  void aTargetInDoubtIsUnpublishedOnceBeforeItsDirectoryGoes() {
    try (Node node = mounting(CrashPoint.USE_PREPARED)) {
      assertThat(node.target(VOLUME, "web"))
          .as("A10: nobody knows whether it was published")
          .isEqualTo(PathStatus.IN_DOUBT);
      node.reconcile();
      node.becomesClean();

      assertThat(node.calls())
          .as("A10: it is unpublished once")
          .containsExactly("Stage:OK", "Unpublish:OK", "Unstage:OK");
      assertThat(told(node)).as("A10: that is told").containsOnlyOnce(OperatorCode.ROLLED_BACK);
    }
  }

  @Tag("A11")
  @Test
  void aPublishThatThePluginStillHasIsInDoubtAndTheVolumeStaysStaged() {
    try (Node node = asking(NODE_PUBLISH_VOLUME)) {
      assertThat(node.target(VOLUME, "web"))
          .as("A11: it is in doubt after the start")
          .isEqualTo(PathStatus.IN_DOUBT);
      assertThat(node.staging(VOLUME))
          .as("A11: the volume stays staged")
          .isEqualTo(PathStatus.PRESENT);
      node.reconcile(WANTED);

      assertThat(node.calls())
          .as("A11: it is repeated")
          .containsExactly("Stage:OK", "Publish:abandoned", "Publish:OK");
      node.plugin().release();
      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Tag("A12")
  @Test
  void aPublishWhoseAnswerWasNotRecordedIsAskedForAgain() {
    try (Node node = mounting(CrashPoint.PUBLISH_ANSWERED)) {
      node.reconcile(WANTED);

      assertThat(node.calls())
          .as("A12: it is asked for again")
          .containsExactly("Stage:OK", "Publish:OK", "Publish:OK");
      assertThat(told(node)).as("A12: that is told").containsOnlyOnce(OperatorCode.RESUMED);
      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Tag("A13")
  @Test
  void aUseOnRecordWhoseCallerWasNotToldIsToldAgainWithTheSamePath() {
    try (Node node = mounting(CrashPoint.PUBLISHED_SAVED)) {
      assertThat(node.report().findings())
          .as("A13: it is taken over")
          .extracting(OperatorMessage::code)
          .contains(OperatorCode.ADOPTED);

      assertThat(node.mount(single("vol-1", "web")).path())
          .as("A13: the same path")
          .isEqualTo(node.targetPath("vol-1", "web").toPath());
      assertThat(node.verbs(VOLUME)).as("A13: no call").containsExactly("Stage", "Publish");
      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Tag("A13")
  @Test
  void aUseOnRecordWhoseCallerIsGoneIsReleased() {
    try (Node node = mounting(CrashPoint.PUBLISHED_SAVED)) {
      node.reconcile();
      node.becomesClean();

      assertThat(node.verbs(VOLUME))
          .as("A13: it is released")
          .containsExactly("Stage", "Publish", "Unpublish", "Unstage");
    }
  }

  @Tag("A15")
  @Test
  void aReleaseOnRecordGoesOnThoughTheHostDoesNotMentionIt() {
    try (Node node = releasing(CrashPoint.RELEASE_SAVED)) {
      assertThat(node.report().going()).as("A15: it is known as going").containsExactly(WEB);
      node.reconcile();
      node.becomesClean();

      assertThat(node.verbs(VOLUME))
          .as("A15: it goes on")
          .containsExactly("Stage", "Publish", "Unpublish", "Unstage");
      assertThat(told(node)).as("A15: that is told").contains(OperatorCode.RELEASE_RESUMED);
    }
  }

  @Tag("A16")
  @Test
  void anUnpublishWhoseAnswerWasNotRecordedIsRepeated() {
    try (Node node = releasing(CrashPoint.UNPUBLISH_ANSWERED)) {
      assertThat(node.users(VOLUME))
          .as("A16: the use counts until then")
          .containsExactly(WEB.workload());
      node.reconcile();
      node.becomesClean();

      assertThat(node.calls())
          .as("A16: it is repeated")
          .containsExactly("Stage:OK", "Publish:OK", "Unpublish:OK", "Unpublish:OK", "Unstage:OK");
    }
  }

  @Tag("A17")
  @Test
  void aTargetThatIsGoneLetsTheReleaseGoOn() {
    try (Node node = releasing(CrashPoint.USE_REMOVED)) {
      assertThat(node.kernel().host().exists(node.targetPath("vol-1", "web")))
          .as("A17: the last process has removed it")
          .isFalse();

      assertThat(node.unmount(WEB)).as("A17: the release goes on").isEqualTo(UnmountOutcome.LAST);
      assertThat(node.isClean()).as("A17: to its end").isTrue();
    }
  }

  @Tag("A18")
  @Test
  void anUnstagingOnRecordGoesOn() {
    try (Node node = releasing(CrashPoint.USE_END_SAVED)) {
      node.reconcile();
      node.becomesClean();

      assertThat(node.verbs(VOLUME))
          .as("A18: it goes on")
          .containsExactly("Stage", "Publish", "Unpublish", "Unstage");
      assertThat(told(node)).as("A18: that is told").containsOnlyOnce(OperatorCode.RELEASE_RESUMED);
    }
  }

  @Test
  void aReleaseAfterAMountIsNoneThatGoesOn() {
    try (Node node = releasing(CrashPoint.RELEASE_SAVED)) {
      node.reconcile(WANTED);

      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
      assertThat(told(node)).doesNotContain(OperatorCode.RELEASE_RESUMED);
    }
  }

  @Tag("A18")
  @Test
  void aMountThatComesDuringTheUnstagingWaitsAndStagesAgain() {
    try (Node node = releasing(CrashPoint.USE_END_SAVED)) {
      node.plugin().inject(Fault.hang(), When.calling(CsiOperation.NODE_UNSTAGE_VOLUME).once());
      var unused = node.engine().reconcile(List.of());
      node.awaitOpen(CsiOperation.NODE_UNSTAGE_VOLUME);
      CompletableFuture<MountedVolume> coming = node.engine().mount(single("vol-1", "web"));
      assertThat(coming).as("A18: it waits").isNotDone();
      node.plugin().release();

      assertThat(node.get(coming).usage()).isEqualTo(WEB);
      assertThat(node.verbs(VOLUME))
          .as("A18: it stages again")
          .containsExactly("Stage", "Publish", "Unpublish", "Unstage", "Stage", "Publish");
      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
      assertThat(told(node))
          .as("A18: the release of the new mount is not taken for the old one")
          .containsOnlyOnce(OperatorCode.RELEASE_RESUMED);
    }
  }

  @Tag("A19")
  @Test
  void kubernetes86360_aVolumeWhoseUnstagingBeganIsStagedAgainForTheNextUse() {
    try (Node node = releasing(CrashPoint.BEFORE_UNSTAGE)) {
      assertThat(node.staging(VOLUME))
          .as("A19: never taken for staged")
          .isEqualTo(PathStatus.IN_DOUBT);
      node.mount(single("vol-1", "web"));

      assertThat(node.verbs(VOLUME))
          .as("A19: the unstaging is ended, and it is staged again before it is published")
          .containsExactly("Stage", "Publish", "Unpublish", "Unstage", "Stage", "Publish");
      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Tag("A20")
  @Test
  void whatIsLeftOfADirectoryIsRemoved() {
    try (Node node = releasing(CrashPoint.UNSTAGE_ANSWERED)) {
      assertThat(node.directories()).as("A20: a directory is left").hasSize(1);
      node.reconcile();
      node.becomesClean();

      assertThat(node.directories()).as("A20: it is removed").isEmpty();
    }
  }
}
