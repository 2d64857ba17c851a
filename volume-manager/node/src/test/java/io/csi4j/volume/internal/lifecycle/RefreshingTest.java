package io.csi4j.volume.internal.lifecycle;

import static io.csi4j.volume.internal.lifecycle.Walk.A;
import static io.csi4j.volume.internal.lifecycle.Walk.B;
import static io.csi4j.volume.internal.lifecycle.Walk.fails;
import static io.csi4j.volume.internal.lifecycle.Walk.fromNothing;
import static io.csi4j.volume.internal.lifecycle.Walk.fromUsedBy;
import static io.csi4j.volume.internal.lifecycle.Walk.neverSent;
import static io.csi4j.volume.internal.lifecycle.Walk.plan;
import static io.csi4j.volume.internal.lifecycle.Walk.standing;
import static io.csi4j.volume.internal.lifecycle.Walk.unsaved;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.StatusCode;
import io.csi4j.volume.internal.lifecycle.Step.Save.Need;
import io.csi4j.volume.internal.record.ClaimMark;
import io.csi4j.volume.internal.record.Digests;
import io.csi4j.volume.internal.record.PathRecord;
import io.csi4j.volume.internal.record.TargetRecord;
import io.csi4j.volume.internal.record.Verb;
import io.csi4j.volume.model.ClaimStanding;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.node.PathStatus;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A refresh: the way of what is published to other contexts, and the ways on which it stays. */
class RefreshingTest {

  private static final Optional<VolumeUse> TARGET = Optional.of(A);
  private static final String INTENT =
      "look; save INTENT_SAVED [PRESENT, a PRESENT PUBLISH? with ?new]; ";
  private static final String AS_BEFORE = "save PUBLISHED_SAVED [PRESENT, a PRESENT with old]; ";
  private static final String OVER = "save PUBLISHED_SAVED [PRESENT, a PRESENT with ?new]; ";
  private static final String IN_FORCE = "save PUBLISHED_SAVED [PRESENT, a PRESENT with new]; ";
  private static final String GOING_ON =
      "unfinished REFRESH_IN_DOUBT"; // nothing is saved: that it goes on is on record

  private static Arguments row(String name, Walk walk, Goal goal, String steps) {
    return Arguments.of(name, walk, goal, steps);
  }

  private static Goal.Refresh refresh(String context) {
    return new Goal.Refresh(Walk.publish(A, plan(true, false), false, context).keeping());
  }

  private static Goal.Refresh claimed() {
    return new Goal.Refresh(Walk.under(7, refresh("new").wanted()));
  }

  /** Published with the context "old". */
  private static Walk published(VolumeUse... users) {
    Walk walk = fromUsedBy(users);
    return walk.from(walk.record().withContext(A, Walk.digest("old")));
  }

  private static Walk claimed(ClaimMark mark) {
    Walk walk = published(A);
    return walk.from(walk.record().withTarget(walk.record().target(A).orElseThrow().under(mark)));
  }

  /** An earlier refresh, with this context on record, has no known end. */
  private static Walk asked(String context) {
    Walk walk = fromUsedBy(A);
    return path(
            walk.from(walk.record().withContext(A, Walk.digest(context))),
            path -> path.working(Verb.PUBLISH, "plugin-1"))
        .goingOn(TARGET);
  }

  private static Walk path(Walk walk, UnaryOperator<PathRecord> change) {
    TargetRecord use = walk.record().target(A).orElseThrow();
    return walk.from(walk.record().withTarget(use.with(change.apply(use.path()))));
  }

  static Stream<Arguments> refreshing() {
    return Stream.of(
        row(
            "with another context",
            published(A),
            refresh("new"),
            INTENT + "PUBLISH; look; " + IN_FORCE + "published"),
        row(
            "with the same context, and secrets of which nothing is on record",
            published(A),
            refresh("old"),
            "look; save INTENT_SAVED [PRESENT, a PRESENT PUBLISH? with old]; PUBLISH; look; "
                + AS_BEFORE
                + "published"),
        row(
            "beside another use, which is not touched",
            published(A, B),
            refresh("new"),
            "look; save INTENT_SAVED [PRESENT, a PRESENT PUBLISH? with ?new, b PRESENT]; PUBLISH;"
                + " look; save PUBLISHED_SAVED [PRESENT, a PRESENT with new, b PRESENT];"
                + " published"),
        row(
            "at the second attempt",
            published(A).at("PUBLISH", 1, fails(StatusCode.INTERNAL)),
            refresh("new"),
            INTENT + "PUBLISH; pause; " + INTENT + "PUBLISH; look; " + IN_FORCE + "published"),
        row(
            "under a current claim, which is asked about last",
            claimed(new ClaimMark(7, true)),
            claimed(),
            "look; save INTENT_SAVED [PRESENT, a PRESENT PUBLISH?@7 with ?new]; confirm 7; PUBLISH;"
                + " look; save PUBLISHED_SAVED [PRESENT, a PRESENT@7 with new]; published"),
        row(
            "again, while the plugin may be working on the same call",
            asked("?new"),
            refresh("new"),
            INTENT + "PUBLISH; look; " + IN_FORCE + "published"),
        row(
            "with another context, once an earlier call is certainly over",
            asked("?older").quarantineIsOver(),
            refresh("new"),
            INTENT + "PUBLISH; look; " + IN_FORCE + "published"),
        row(
            "with another context, while another call than one to publish it goes on",
            path(published(A), path -> path.working(Verb.UNPUBLISH, "plugin-1")).goingOn(TARGET),
            refresh("new"),
            INTENT + "PUBLISH; look; " + IN_FORCE + "published"),
        row(
            "over a full disk at the end: what is in force is known to this process",
            published(A).at("save PUBLISHED_SAVED", 1, unsaved()),
            refresh("new"),
            INTENT + "PUBLISH; look; " + IN_FORCE + "published"));
  }

  static Stream<Arguments> refreshingThatFails() {
    return Stream.of(
        row("no such use", fromNothing(), refresh("new"), "refused NOT_MOUNTED"),
        row(
            "a use in doubt",
            path(published(A), path -> path.as(PathStatus.IN_DOUBT)),
            refresh("new"),
            "refused NOT_MOUNTED"),
        row(
            "another way of use",
            published(A),
            new Goal.Refresh(Walk.publish(A, plan(true, true), false, "new").keeping()),
            "refused OPTIONS_DIFFER"),
        row(
            "refused: the former context is in force",
            published(A).always("PUBLISH", fails(StatusCode.ALREADY_EXISTS)),
            refresh("new"),
            INTENT + "PUBLISH; " + AS_BEFORE + "refused REFRESH_REFUSED"),
        row(
            "refused, after an earlier call with no known end: neither goes on",
            asked("?new").always("PUBLISH", fails(StatusCode.ALREADY_EXISTS)),
            refresh("new"),
            INTENT + "PUBLISH; " + OVER + "refused REFRESH_REFUSED"),
        row(
            "never sent: the former context is in force",
            published(A).always("PUBLISH", neverSent()),
            refresh("new"),
            INTENT
                + ("PUBLISH; pause; " + INTENT).repeat(2)
                + "PUBLISH; "
                + AS_BEFORE
                + "refused PLUGIN_NOT_UP"),
        row(
            "three uncertain answers: it is over, and not known which is in force",
            published(A).always("PUBLISH", fails(StatusCode.INTERNAL)),
            refresh("new"),
            INTENT
                + ("PUBLISH; pause; " + INTENT).repeat(2)
                + "PUBLISH; "
                + OVER
                + "unfinished REFRESH_IN_DOUBT"),
        row(
            "no answers: the plugin may be working on it",
            published(A).always("PUBLISH", fails(StatusCode.DEADLINE_EXCEEDED)),
            refresh("new"),
            INTENT + ("PUBLISH; pause; " + INTENT).repeat(2) + "PUBLISH; " + GOING_ON),
        row(
            "refused after an uncertain answer: that settles nothing",
            published(A)
                .at("PUBLISH", 1, fails(StatusCode.INTERNAL))
                .at("PUBLISH", 2, fails(StatusCode.ALREADY_EXISTS)),
            refresh("new"),
            INTENT
                + "PUBLISH; pause; "
                + INTENT
                + "PUBLISH; "
                + OVER
                + "unfinished REFRESH_IN_DOUBT"),
        row(
            "other contexts while the plugin may be working on an earlier call",
            asked("?older"),
            refresh("new"),
            "look; unfinished REFRESH_IN_DOUBT"),
        row(
            "data is lost",
            published(A).always("PUBLISH", fails(StatusCode.DATA_LOSS)),
            refresh("new"),
            INTENT + "PUBLISH; " + AS_BEFORE + "refused DATA_LOSS"));
  }

  static Stream<Arguments> refreshingInTrouble() {
    return Stream.of(
        row(
            "the mount is gone",
            published(A).unmount(TARGET),
            refresh("new"),
            "look; refused MOUNT_LOST"),
        row(
            "the mount is not ours",
            published(A).foreign(TARGET),
            refresh("new"),
            "look; refused FOREIGN_MOUNT"),
        row(
            "the mount is dead",
            published(A).dead(TARGET),
            refresh("new"),
            "look; refused MOUNT_DEAD"),
        row(
            "the staging is gone",
            published(A).unmount(Optional.empty()),
            refresh("new"),
            "look; refused STAGING_LOST"),
        row(
            "the staging goes between two attempts",
            published(A)
                .at("PUBLISH", 1, fails(StatusCode.INTERNAL))
                .at("look", 2, fromUsedBy(A).unmount(Optional.empty()).lookedAt(TARGET)),
            refresh("new"),
            INTENT + "PUBLISH; pause; look; " + OVER + "unfinished REFRESH_IN_DOUBT"),
        row(
            "the plugin is unhealthy",
            published(A).barred(),
            refresh("new"),
            "look; refused PLUGIN_UNHEALTHY"),
        row(
            "the disk is full: nothing is asked of the plugin",
            published(A).at("save INTENT_SAVED", 1, unsaved()),
            refresh("new"),
            INTENT + AS_BEFORE + "refused STATE_DISK_FULL"),
        row(
            "a stale claim: what is mounted stays until its release",
            claimed(new ClaimMark(7, true))
                .always("confirm 7", standing(new ClaimStanding.Stale(9))),
            claimed(),
            "look; save INTENT_SAVED [PRESENT, a PRESENT PUBLISH?@7 with ?new]; confirm 7;"
                + " save PUBLISHED_SAVED [PRESENT, a PRESENT@7 with old]; refused"
                + " FENCED_WHILE_MOUNTED"),
        row(
            "nobody confirms the claim, and the record suffices",
            claimed(new ClaimMark(7, true)).always("confirm 7", Walk.recordSuffices()),
            claimed(),
            "look; save INTENT_SAVED [PRESENT, a PRESENT PUBLISH?@7 with ?new]; confirm 7; PUBLISH;"
                + " look; save PUBLISHED_SAVED [PRESENT, a PRESENT@7 with new]; published"),
        row(
            "the plugin stacks another mount",
            published(A).at("look", 2, published(A).layers(TARGET, 2).lookedAt(TARGET)),
            refresh("new"),
            INTENT + "PUBLISH; look; note STACKED_MOUNTS; " + IN_FORCE + "published"),
        row(
            "the plugin takes the mount away",
            published(A).at("look", 2, published(A).unmount(TARGET).lookedAt(TARGET)),
            refresh("new"),
            INTENT + "PUBLISH; look; " + IN_FORCE + "held MOUNT_LOST"),
        row(
            "the plugin makes it read-only",
            published(A).at("look", 2, published(A).readOnly(TARGET).lookedAt(TARGET)),
            refresh("new"),
            INTENT + "PUBLISH; look; " + IN_FORCE + "held MOUNT_FLAGS_DIFFER"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("refreshing")
  void refreshes(String name, Walk walk, Goal goal, String steps) {
    assertThat(String.join("; ", walk.to(goal))).as(name).isEqualTo(steps);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("refreshingThatFails")
  void whatFailsLeavesTheVolumePublished(String name, Walk walk, Goal goal, String steps) {
    assertThat(String.join("; ", walk.to(goal))).as(name).isEqualTo(steps);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("refreshingInTrouble")
  void troubleIsToldAndNothingTakenBack(String name, Walk walk, Goal goal, String steps) {
    assertThat(String.join("; ", walk.to(goal))).as(name).isEqualTo(steps);
  }

  @Test
  void mountsOnTopAreCountedFromBeforeTheFirstCall() {
    assertThat(published(A).at("look", 2, layers(2)).words(refresh("new")))
        .containsExactly(stacked("1 mount and now has 2"));
    assertThat(published(A).layers(TARGET, 2).at("look", 2, layers(3)).words(refresh("new")))
        .containsExactly(stacked("2 mounts and now has 3"));
    assertThat(published(A).layers(TARGET, 2).words(refresh("new"))).isEmpty();
    assertThat(
            published(A)
                .at("PUBLISH", 1, fails(StatusCode.INTERNAL))
                .at("look", 2, layers(2))
                .at("look", 3, layers(2))
                .words(refresh("new")))
        .as("by a call that failed")
        .containsExactly(stacked("1 mount and now has 2"));
  }

  private static Event layers(int count) {
    return published(A).layers(TARGET, count).lookedAt(TARGET);
  }

  private static String stacked(String counts) {
    return "a: the plugin mounted on top of the mount to refresh: the path had "
        + counts
        + "; a running workload keeps the mount that it has";
  }

  @Test
  void itIsToldThatTheCallWasSentUnlessThePluginsAnswerSaysSo() {
    assertThat(published(A).always("PUBLISH", fails(StatusCode.INTERNAL)).words(refresh("new")))
        .containsExactly("NodePublishVolume ended with INTERNAL: so it is");
    assertThat(
            published(A)
                .at("PUBLISH", 1, fails(StatusCode.INTERNAL))
                .at("look", 2, fromUsedBy(A).unmount(Optional.empty()).lookedAt(TARGET))
                .words(refresh("new")))
        .containsExactly(
            "NodePublishVolume was sent with unknown effect, and was not sent"
                + " again: the mount at the staging path, from which it would be"
                + " published, is gone");
  }

  @Test
  void aBrokenStepLeavesTheVolumePublished() {
    IllegalStateException broken = new IllegalStateException("so it is");

    assertThat(published(A).breaks("PUBLISH", broken).to(refresh("new")))
        .endsWith("PUBLISH", "unfinished REFRESH_IN_DOUBT");
    assertThat(published(A).breaks("save INTENT_SAVED", broken).to(refresh("new")))
        .endsWith("save PUBLISHED_SAVED [PRESENT, a PRESENT with old]", "refused STEP_FAILED");
    assertThat(published(A).breaks("save PUBLISHED_SAVED", broken).to(refresh("new")))
        .endsWith("unfinished REFRESH_IN_DOUBT");
    assertThat(published(A).breaks("look", broken).to(refresh("new")))
        .containsExactly("look", "refused STEP_FAILED");
  }

  @Test
  void itIsLeftForTheReleaseBeforeACallAndInsteadOfAPause() {
    Walk walk = published(A).at("PUBLISH", 1, fails(StatusCode.INTERNAL));

    assertThat(walk.leavable(refresh("new"))).containsExactly("PUBLISH", "pause", "PUBLISH");
  }

  /** After a power cut there is nothing to refresh, so that no call waits for the medium. */
  @Test
  void noCallWaitsForTheMedium() {
    Walk walk = published(A);

    assertThat(walk.to(refresh("new"))).endsWith("published");
    assertThat(walk.durable().values()).containsExactly(Need.WRITTEN, Need.RELEASING);
  }

  @Test
  void whatMayBeInForceIsToldFromWhatIs() {
    assertThat(Digests.isInForce("new")).isTrue();
    assertThat(Digests.isInForce(Digests.inDoubt("new"))).isFalse();
    assertThat(Digests.isInForce("")).isFalse();
    assertThat(Digests.isLastGiven(Digests.inDoubt("new"), "new")).isTrue();
    assertThat(Digests.isLastGiven(Digests.inDoubt("new"), "old")).isFalse();
    assertThat(Digests.isLastGiven("", "old")).isTrue();
  }
}
