package io.csi4j.volume.internal.lifecycle;

import static io.csi4j.volume.internal.lifecycle.Walk.A;
import static io.csi4j.volume.internal.lifecycle.Walk.B;
import static io.csi4j.volume.internal.lifecycle.Walk.fails;
import static io.csi4j.volume.internal.lifecycle.Walk.fromNothing;
import static io.csi4j.volume.internal.lifecycle.Walk.fromUsedBy;
import static io.csi4j.volume.internal.lifecycle.Walk.neverSent;
import static io.csi4j.volume.internal.lifecycle.Walk.nothingDone;
import static io.csi4j.volume.internal.lifecycle.Walk.publish;
import static io.csi4j.volume.internal.lifecycle.Walk.unsaved;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.StatusCode;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.lifecycle.Step.Save.Need;
import io.csi4j.volume.internal.port.Sighting;
import io.csi4j.volume.internal.record.Evidence;
import io.csi4j.volume.internal.record.PathRecord;
import io.csi4j.volume.internal.record.TargetRecord;
import io.csi4j.volume.internal.record.Verb;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.MountPolicy.OnDeadMount;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.node.PathStatus;
import io.csi4j.volume.state.StateException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What has to go first, what a person gives up, and what stays on record where an operation cannot
 * go on: one row each.
 */
class ClearingTest {

  private static final Optional<VolumeUse> STAGING = Optional.empty();
  private static final Optional<VolumeUse> TARGET = Optional.of(A);
  private static final Goal RELEASE = new Goal.Release(A);
  private static final Goal ABANDON = new Goal.Abandon(A, "its node was sold");
  private static final PathRecord IN_DOUBT = PathRecord.NONE.as(PathStatus.IN_DOUBT);

  private static final MountPolicy REPUBLISHING =
      MountPolicy.builder().onDeadMount(OnDeadMount.REPUBLISH).build();

  private static final String PUBLISHED =
      "make use; PUBLISH; look; save PUBLISHED_SAVED [PRESENT, a PRESENT]; published";
  private static final String STAGED =
      "save INTENT_SAVED [IN_DOUBT STAGE?, a IN_DOUBT]; make volume; STAGE; look;"
          + " save STAGED_SAVED [PRESENT, a IN_DOUBT PUBLISH?]; "
          + PUBLISHED;
  private static final String UNSTAGED = "UNSTAGE; look; remove volume; bury; ";
  private static final String GOING = "look; save RELEASE_SAVED [PRESENT, a GOING UNPUBLISH?]; ";

  private static final String GOING_AGAIN = GOING.replace("?]", "? with given]");

  private static Arguments row(String name, Walk walk, Goal goal, String steps) {
    return Arguments.of(name, walk, goal, steps);
  }

  /** From a use whose path is like this, and which is mounted. */
  private static Walk from(PathRecord path) {
    Walk walk = fromUsedBy(A);
    return walk.from(walk.record().withTarget(new TargetRecord(A, false, path)));
  }

  /** From a staging like this, which is mounted, without uses. */
  private static Walk staged(PathRecord path) {
    Walk walk = fromUsedBy();
    return walk.from(walk.record().withStaging(path));
  }

  /** From a use of which nothing is mounted, on a staging like this, which is mounted. */
  private static Walk withdrawn(PathRecord staging) {
    Walk walk = from(PathRecord.NONE).unmount(TARGET);
    return walk.from(walk.record().withStaging(staging));
  }

  private static Walk leaving(PathRecord path) {
    return from(path).unmount(TARGET);
  }

  /** From a mount that failed, and whose release the plugin refuses. */
  private static Walk failed() {
    Walk walk = leaving(PathRecord.NONE.as(PathStatus.GOING));
    return walk.from(walk.record().withContext(A, Walk.digest("given")))
        .always("UNPUBLISH", fails(StatusCode.FAILED_PRECONDITION));
  }

  /** The goal of a mount with a volume context of this digest. */
  private static Goal given(String context, boolean readOnly) {
    return Walk.publish(A, Walk.plan(true, false), readOnly, context);
  }

  static Event looked(int staging, int target, boolean device) {
    Sighting mount =
        new Sighting(
            MountPath.of("/top/v/it's"),
            "8:1",
            new Evidence("ref", "ext4", "/dev/sda", "/", false));
    return new Event.Looked(
        List.of(mount).subList(0, staging), List.of(mount).subList(0, target), device, true);
  }

  static Stream<Arguments> clearing() {
    PathRecord going = PathRecord.NONE.as(PathStatus.GOING);
    return Stream.of(
        row(
            "a use that goes, which the plugin may still be unpublishing",
            from(going.working(Verb.UNPUBLISH, "plugin-1")).goingOn(TARGET),
            publish(A),
            GOING
                + "UNPUBLISH; look; remove use; save USE_END_SAVED [PRESENT]; look;"
                + " save INTENT_SAVED [PRESENT, a IN_DOUBT PUBLISH?]; "
                + PUBLISHED),
        row(
            "a use that goes, which the plugin may still be publishing",
            from(going.working(Verb.PUBLISH, "plugin-1")).goingOn(TARGET),
            publish(A),
            "look; save INTENT_SAVED [PRESENT, a IN_DOUBT PUBLISH?]; " + PUBLISHED),
        row(
            "a use that goes, which the plugin was publishing long ago",
            from(going.working(Verb.PUBLISH, "plugin-1")),
            publish(A),
            GOING
                + "UNPUBLISH; look; remove use; save USE_END_SAVED [PRESENT]; look;"
                + " save INTENT_SAVED [PRESENT, a IN_DOUBT PUBLISH?]; "
                + PUBLISHED),
        row(
            "a mount that failed, which is wanted again, and whose release the plugin refuses",
            failed(),
            given("given", false),
            GOING_AGAIN
                + "UNPUBLISH; look; save INTENT_SAVED [PRESENT, a IN_DOUBT PUBLISH? with given]; "
                + PUBLISHED.replace("PRESENT]", "PRESENT with given]")),
        row(
            "a mount that failed, whose release the plugin refuses as often as it is asked",
            failed().always("UNPUBLISH", fails(StatusCode.UNKNOWN)),
            given("given", false),
            GOING_AGAIN
                + "UNPUBLISH; pause; UNPUBLISH; pause; UNPUBLISH; look;"
                + " save INTENT_SAVED [PRESENT, a IN_DOUBT PUBLISH? with given]; "
                + PUBLISHED.replace("PRESENT]", "PRESENT with given]")),
        row(
            "a mount that failed, and fails again",
            failed().always("PUBLISH", fails(StatusCode.INVALID_ARGUMENT)),
            given("given", false),
            GOING_AGAIN
                + "UNPUBLISH; look; save INTENT_SAVED [PRESENT, a IN_DOUBT PUBLISH? with given]; make use;"
                + " PUBLISH; save RELEASE_SAVED [PRESENT, a GOING UNPUBLISH? with given]; UNPUBLISH;"
                + " unfinished REFUSED_BY_PLUGIN, undoing RELEASE_REFUSED"),
        row(
            "a mount that failed, and is wanted with another context",
            failed(),
            given("other", false),
            GOING_AGAIN + "UNPUBLISH; unfinished RELEASE_REFUSED"),
        row(
            "a mount that failed, and is wanted to be read only",
            failed(),
            given("given", true),
            GOING_AGAIN + "UNPUBLISH; unfinished RELEASE_REFUSED"),
        row(
            "a mount whose publication may not have ended, and whose release the plugin refuses",
            failed().unanswered(A),
            given("given", false),
            GOING_AGAIN + "UNPUBLISH; unfinished RELEASE_REFUSED"),
        row(
            "a mount that was seen, is gone, and whose release the plugin refuses",
            leaving(fromUsedBy(A).record().targets().get(A).path().as(PathStatus.GOING))
                .always("UNPUBLISH", fails(StatusCode.FAILED_PRECONDITION)),
            publish(A),
            GOING + "UNPUBLISH; unfinished RELEASE_REFUSED"),
        row(
            "a dead mount that the plugin may still be publishing",
            from(IN_DOUBT.working(Verb.PUBLISH, "plugin-1"))
                .dead(TARGET)
                .goingOn(TARGET)
                .policy(REPUBLISHING.toBuilder().attempts(1).build()),
            publish(A),
            "look; save INTENT_SAVED [PRESENT, a IN_DOUBT PUBLISH?]; make use; PUBLISH; look;"
                + " unfinished MOUNT_DEAD"),
        row(
            "a dead mount that the plugin was publishing long ago",
            from(IN_DOUBT.working(Verb.PUBLISH, "plugin-1")).dead(TARGET).policy(REPUBLISHING),
            publish(A),
            "look; save RELEASE_SAVED [PRESENT, a IN_DOUBT UNPUBLISH?]; UNPUBLISH; look;"
                + " save USE_END_SAVED [PRESENT, a NONE]; look;"
                + " save INTENT_SAVED [PRESENT, a IN_DOUBT PUBLISH?]; "
                + PUBLISHED),
        row(
            "a staging that the plugin may still be taking away",
            staged(IN_DOUBT.working(Verb.UNSTAGE, "plugin-1")).goingOn(STAGING),
            publish(A),
            "look; UNSTAGE; look; look; " + STAGED),
        row(
            "a staging that the plugin was taking away long ago",
            staged(IN_DOUBT.working(Verb.UNSTAGE, "plugin-1")),
            publish(A),
            "look; " + STAGED),
        row(
            "a staging that the plugin may still be making",
            staged(IN_DOUBT.working(Verb.STAGE, "plugin-1")).goingOn(STAGING),
            publish(A),
            "look; " + STAGED),
        row(
            "a staging that goes, of a use without a mount",
            withdrawn(IN_DOUBT.working(Verb.UNSTAGE, "plugin-1")).goingOn(STAGING),
            publish(A),
            "look; UNSTAGE; look; look; " + STAGED.replace("a IN_DOUBT]", "a IN_DOUBT PUBLISH?]")),
        row(
            "a dead staging that the plugin was making long ago",
            staged(IN_DOUBT.working(Verb.STAGE, "plugin-1")).dead(STAGING),
            publish(A),
            "look; save USE_END_SAVED [IN_DOUBT UNSTAGE?]; UNSTAGE; look; look; " + STAGED),
        row(
            "a dead staging that the plugin may still be making",
            staged(IN_DOUBT.working(Verb.STAGE, "plugin-1"))
                .dead(STAGING)
                .goingOn(STAGING)
                .policy(MountPolicy.builder().attempts(1).build()),
            publish(A),
            "look; save INTENT_SAVED [IN_DOUBT STAGE?, a IN_DOUBT]; make volume; STAGE; look;"
                + " remove use; save USE_END_SAVED [IN_DOUBT UNSTAGE?]; "
                + UNSTAGED
                + "refused MOUNT_DEAD"),
        row(
            "a mount that comes again twice",
            fromNothing().mount(TARGET).at("look", 3, looked(0, 1, false)),
            publish(A),
            "look; save RELEASE_SAVED [NONE, a GOING UNPUBLISH?]; UNPUBLISH; look; remove use;"
                + " save USE_END_SAVED [NONE]; look; save RELEASE_SAVED [NONE, a GOING UNPUBLISH?];"
                + " UNPUBLISH; look; remove use; save USE_END_SAVED [NONE]; look; "
                + STAGED),
        row(
            "a mount that comes again each time",
            fromNothing()
                .mount(TARGET)
                .at("look", 3, looked(0, 1, false))
                .at("look", 5, looked(0, 1, false)),
            publish(A),
            "look; save RELEASE_SAVED [NONE, a GOING UNPUBLISH?]; UNPUBLISH; look; remove use;"
                + " save USE_END_SAVED [NONE]; look; save RELEASE_SAVED [NONE, a GOING UNPUBLISH?];"
                + " UNPUBLISH; look; remove use; save USE_END_SAVED [NONE]; look;"
                + " held FOREIGN_MOUNT"),
        row(
            "a dead mount on a dead staging that no other use has",
            fromUsedBy(A).dead(TARGET).dead(STAGING).policy(REPUBLISHING),
            publish(A),
            "look; save RELEASE_SAVED [PRESENT, a IN_DOUBT UNPUBLISH?]; UNPUBLISH; look;"
                + " save USE_END_SAVED [PRESENT, a NONE]; look;"
                + " save USE_END_SAVED [IN_DOUBT UNSTAGE?, a NONE]; UNSTAGE; look; look; "
                + STAGED.replace("a IN_DOUBT]", "a IN_DOUBT PUBLISH?]")),
        row(
            "a dead mount on a dead staging, of which another use has no mount",
            withoutMount(B).dead(TARGET).dead(STAGING).policy(REPUBLISHING),
            publish(A),
            "look; save RELEASE_SAVED [PRESENT, a IN_DOUBT UNPUBLISH?, b NONE]; UNPUBLISH; look;"
                + " save USE_END_SAVED [PRESENT, a NONE, b NONE]; look;"
                + " save USE_END_SAVED [IN_DOUBT UNSTAGE?, a NONE, b NONE]; UNSTAGE; look; look; "
                + STAGED.replace("a IN_DOUBT]", "a IN_DOUBT PUBLISH?]").replace("]", ", b NONE]")));
  }

  private static Walk withoutMount(VolumeUse other) {
    Walk walk = fromUsedBy(A, other);
    return walk.from(walk.record().withTarget(new TargetRecord(other, false, PathRecord.NONE)));
  }

  static Stream<Arguments> releasing() {
    return Stream.of(
        row(
            "a use that is not on record, of a volume that is still staged",
            staged(IN_DOUBT),
            RELEASE,
            "look; save USE_END_SAVED [IN_DOUBT UNSTAGE?]; " + UNSTAGED + "released LAST"),
        row(
            "a use that is not on record, of a volume that is nowhere",
            fromNothing(),
            RELEASE,
            "released UNKNOWN"),
        row(
            "a staging whose end is on record already",
            staged(IN_DOUBT.working(Verb.UNSTAGE, "plugin-1")),
            new Goal.Settle(),
            "look; " + UNSTAGED + "released LAST"),
        row(
            "a staging that is still being made, long ago",
            staged(IN_DOUBT.working(Verb.STAGE, "plugin-1")),
            new Goal.Settle(),
            "look; save USE_END_SAVED [IN_DOUBT UNSTAGE?]; " + UNSTAGED + "released LAST"),
        row(
            "a staging that may still be coming",
            staged(IN_DOUBT.working(Verb.STAGE, "plugin-1")).goingOn(STAGING),
            new Goal.Settle(),
            "look; unfinished STAGE_IN_DOUBT"),
        row(
            "a staging that may still be going",
            staged(IN_DOUBT.working(Verb.UNSTAGE, "plugin-1")).goingOn(STAGING),
            new Goal.Settle(),
            "look; " + UNSTAGED + "released LAST"),
        row(
            "a staging whose end was begun and that is taken for there",
            staged(PathRecord.NONE.as(PathStatus.PRESENT).working(Verb.UNSTAGE, "plugin-1")),
            new Goal.Settle(),
            "look; save USE_END_SAVED [IN_DOUBT UNSTAGE?]; " + UNSTAGED + "released LAST"),
        row(
            "a record that cannot grow: the use counts there already",
            fromUsedBy(A)
                .always(
                    "save RELEASE_SAVED",
                    new Event.Saved(
                        Optional.of(
                            new StateException(
                                StateException.Reason.STATE_VALUE_TOO_LARGE,
                                "the record is too large")))),
            RELEASE,
            GOING
                + "UNPUBLISH; look; remove use; save USE_END_SAVED [IN_DOUBT UNSTAGE?]; "
                + UNSTAGED
                + "released LAST"),
        row(
            "a release that went once and cannot be sent again",
            fromUsedBy(A)
                .always("UNPUBLISH", neverSent())
                .at("UNPUBLISH", 1, fails(StatusCode.INTERNAL)),
            RELEASE,
            GOING + "UNPUBLISH; pause; UNPUBLISH; pause; UNPUBLISH; unfinished UNPUBLISH_IN_DOUBT"),
        row(
            "a release that never went",
            fromUsedBy(A).always("UNPUBLISH", neverSent()),
            RELEASE,
            GOING + "UNPUBLISH; pause; UNPUBLISH; pause; UNPUBLISH; unfinished PLUGIN_NOT_UP"),
        row(
            "a use that was never seen mounted, and that the plugin goes on refusing to release",
            leaving(IN_DOUBT)
                .refusedForLong(A)
                .always("UNPUBLISH", fails(StatusCode.FAILED_PRECONDITION)),
            RELEASE,
            GOING
                + "UNPUBLISH; look; note RELEASED_WITHOUT_CONFIRMATION; remove use;"
                + " save USE_END_SAVED [IN_DOUBT UNSTAGE?]; "
                + UNSTAGED
                + "released LAST"),
        row(
            "a use that was never seen mounted, and whose publication may not have ended",
            leaving(IN_DOUBT)
                .refusedForLong(A)
                .unanswered(A)
                .always("UNPUBLISH", fails(StatusCode.FAILED_PRECONDITION)),
            RELEASE,
            GOING + "UNPUBLISH; unfinished RELEASE_REFUSED"),
        row(
            "a use of a plugin that need not mount, which was never seen mounted",
            leaving(IN_DOUBT)
                .refusedForLong(A)
                .policy(MountPolicy.builder().requireMount(false).build())
                .always("UNPUBLISH", fails(StatusCode.FAILED_PRECONDITION)),
            RELEASE,
            GOING + "UNPUBLISH; unfinished RELEASE_REFUSED"),
        row(
            "a dead mount that is there again after it was unmounted",
            fromUsedBy(A, B)
                .dead(TARGET)
                .always("UNPUBLISH", nothingDone())
                .always("force", new Event.Forced(false)),
            RELEASE,
            "look; save RELEASE_SAVED [PRESENT, a GOING UNPUBLISH?, b PRESENT]; UNPUBLISH; look;"
                + " force; note UNMOUNT_FORCED; look; pause; UNPUBLISH; look; pause; UNPUBLISH; look;"
                + " unfinished STILL_MOUNTED"),
        row(
            "two dead mounts on top of each other",
            fromUsedBy(A, B)
                .dead(TARGET)
                .layers(TARGET, 2)
                .always("UNPUBLISH", nothingDone())
                .at("force", 1, new Event.Forced(false))
                .at("look", 3, deadTarget()),
            RELEASE,
            "look; save RELEASE_SAVED [PRESENT, a GOING UNPUBLISH?, b PRESENT]; UNPUBLISH; look;"
                + " force; note UNMOUNT_FORCED; look; force; note UNMOUNT_FORCED; look; remove use;"
                + " save USE_END_SAVED [PRESENT, b PRESENT]; released NOT_LAST"));
  }

  private static Event deadTarget() {
    Event.Looked one = (Event.Looked) looked(1, 1, false);
    Sighting well = one.target().get(0);
    return new Event.Looked(
        one.staging(),
        List.of(new Sighting(well.path(), well.device(), well.evidence(), Sighting.Health.DEAD)),
        false,
        true);
  }

  static Stream<Arguments> abandoning() {
    PathRecord going = PathRecord.NONE.as(PathStatus.GOING).working(Verb.UNPUBLISH, "plugin-1");
    return Stream.of(
        row(
            "the last use, of which nothing can be seen",
            leaving(going),
            ABANDON,
            "look; note ABANDONED; remove use; save USE_END_SAVED [IN_DOUBT UNSTAGE?]; "
                + UNSTAGED
                + "released LAST"),
        row(
            "a use whose mount is in doubt",
            leaving(IN_DOUBT),
            ABANDON,
            "look; note ABANDONED; remove use; save USE_END_SAVED [IN_DOUBT UNSTAGE?]; "
                + UNSTAGED
                + "released LAST"),
        row(
            "a use that is there for a workload",
            fromUsedBy(A),
            ABANDON,
            "look; refused NOT_ALLOWED_HERE"),
        row(
            "a use that nobody asked to release, though nothing can be seen of it",
            fromUsedBy(A).unmount(TARGET),
            ABANDON,
            "look; refused NOT_ALLOWED_HERE"),
        row("a use that is mounted", from(going), ABANDON, "look; refused STILL_MOUNTED"),
        row(
            "a use with a device node",
            leaving(going).at("look", 1, looked(1, 0, true)),
            ABANDON,
            "look; refused STILL_MOUNTED"),
        row(
            "a use that is not on record, beside another",
            fromUsedBy(B),
            ABANDON,
            "look; released UNKNOWN"),
        row(
            "a use that is not on record, of a volume that is nowhere",
            fromNothing(),
            ABANDON,
            "look; released UNKNOWN"),
        row(
            "the staging that is left of it",
            staged(IN_DOUBT.working(Verb.UNSTAGE, "plugin-1")).unmount(STAGING),
            ABANDON,
            "look; note ABANDONED; remove volume; bury; released LAST"),
        row(
            "the staging that is left of it, and is mounted",
            staged(IN_DOUBT.working(Verb.UNSTAGE, "plugin-1")),
            ABANDON,
            "look; refused STILL_MOUNTED"),
        row(
            "the staging that is left of it, beside a device node of no use",
            staged(IN_DOUBT).at("look", 1, looked(0, 0, true)),
            ABANDON,
            "look; note ABANDONED; remove volume; bury; released LAST"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource({"clearing", "releasing", "abandoning"})
  void everyWayHasItsSteps(String name, Walk walk, Goal goal, String steps) {
    assertThat(String.join("; ", walk.to(goal))).as(name).isEqualTo(steps);
  }

  static Stream<Arguments> left() {
    Goal withdraw = new Goal.Withdraw(TARGET);
    return Stream.of(
        row(
            "an unpublish that has ended",
            fromUsedBy(A).always("UNPUBLISH", fails(StatusCode.INTERNAL)),
            RELEASE,
            "unfinished UNPUBLISH_IN_DOUBT [PRESENT, a GOING]"),
        row(
            "an unpublish that may be going on",
            fromUsedBy(A).always("UNPUBLISH", fails(StatusCode.DEADLINE_EXCEEDED)),
            RELEASE,
            "unfinished UNPUBLISH_IN_DOUBT [PRESENT, a GOING UNPUBLISH?]"),
        row(
            "an unpublish that never left: an earlier one may be going on",
            fromUsedBy(A).always("UNPUBLISH", neverSent()),
            RELEASE,
            "unfinished PLUGIN_NOT_UP [PRESENT, a GOING UNPUBLISH?]"),
        row(
            "an unstage that has ended",
            fromUsedBy(A).always("UNSTAGE", fails(StatusCode.INTERNAL)),
            RELEASE,
            "unfinished UNSTAGE_IN_DOUBT [IN_DOUBT]"),
        row(
            "an unstage that may be going on",
            fromUsedBy(A).always("UNSTAGE", fails(StatusCode.CANCELLED)),
            RELEASE,
            "unfinished UNSTAGE_IN_DOUBT [IN_DOUBT UNSTAGE?]"),
        row(
            "a repair that cannot be remembered: nothing has happened yet",
            fromUsedBy(A).dead(TARGET).always("save RELEASE_SAVED", unsaved()),
            withdraw,
            "unfinished STATE_DISK_FULL [PRESENT, a PRESENT]"),
        row(
            "a release that cannot be remembered: the use goes all the same",
            fromUsedBy(A).always("save RELEASE_SAVED", unsaved()),
            RELEASE,
            "unfinished STATE_DISK_FULL [PRESENT, a GOING UNPUBLISH?]"),
        row(
            "a release whose first look breaks",
            fromUsedBy(A).breaks("look", new IllegalStateException()),
            RELEASE,
            "unfinished STEP_FAILED [PRESENT, a GOING]"),
        row(
            "a repair whose first look breaks",
            fromUsedBy(A).breaks("look", new IllegalStateException()),
            withdraw,
            "unfinished STEP_FAILED [PRESENT, a PRESENT]"),
        row(
            "a mount whose first look breaks",
            fromUsedBy(B).breaks("look", new IllegalStateException()),
            publish(A),
            "refused STEP_FAILED [PRESENT, b PRESENT]"),
        row(
            "a call that breaks has reached the plugin, perhaps",
            fromNothing()
                .breaks("PUBLISH", new IllegalStateException())
                .always("UNPUBLISH", fails(StatusCode.INTERNAL)),
            publish(A),
            "unfinished STEP_FAILED, undoing UNPUBLISH_IN_DOUBT [PRESENT, a GOING]"),
        row(
            "a release that breaks",
            fromUsedBy(A).breaks("UNPUBLISH", new IllegalStateException()),
            RELEASE,
            "unfinished STEP_FAILED [PRESENT, a GOING UNPUBLISH?]"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("left")
  void whatIsNotFinishedStaysOnRecord(String name, Walk walk, Goal goal, String end) {
    List<String> steps = walk.to(goal);

    assertThat(steps.get(steps.size() - 1) + " " + Walk.word(walk.record()))
        .as(name)
        .isEqualTo(end);
  }

  @Test
  void onlyAnIntentAndItsEndAreSyncedOnTheWayOfAMountAndWhatIsGivenBackNeedNotBe() {
    Walk publishing = fromNothing();
    publishing.to(publish(A));
    Walk releasing = fromUsedBy(A, B);
    releasing.to(RELEASE);
    Walk repairing = fromUsedBy(A);
    repairing.to(new Goal.Withdraw(TARGET));
    Map<String, Need> all = new HashMap<>(publishing.durable());
    all.putAll(releasing.durable());
    all.putAll(repairing.durable());

    assertThat(all)
        .isEqualTo(
            Map.of(
                "[IN_DOUBT STAGE?, a IN_DOUBT]", Need.ON_THE_MEDIUM,
                "[PRESENT, a IN_DOUBT PUBLISH?]", Need.WRITTEN,
                "[PRESENT, a PRESENT]", Need.ON_THE_MEDIUM,
                "[PRESENT, a GOING UNPUBLISH?, b PRESENT]", Need.RELEASING,
                "[PRESENT, b PRESENT]", Need.RELEASING,
                "[PRESENT, a IN_DOUBT UNPUBLISH?]", Need.ON_THE_MEDIUM,
                "[PRESENT, a NONE]", Need.RELEASING));
  }

  @Test
  void aMountIsRememberedAsAttachedByItsLastRequestUntilItIsThere() {
    assertThat(attached(doubted("old"), "new")).isEqualTo("new");
    assertThat(attached(used("old"), "old")).isEqualTo("old");
    assertThat(attached(used(""), "new")).as("where another use is there").isEmpty();
  }

  private static Walk used(String attached) {
    Walk walk = fromUsedBy(B);
    VolumeRecord record = walk.record();
    return walk.from(record.with(record.plan().attached(attached)));
  }

  private static Walk doubted(String attached) {
    Walk walk = used(attached);
    return walk.from(
        walk.record().withStaging(IN_DOUBT).withTarget(new TargetRecord(B, false, IN_DOUBT)));
  }

  private static String attached(Walk walk, String digest) {
    walk.to(Walk.publish(A, Walk.plan(true, false).attached(digest), false));
    return walk.record().plan().attached();
  }
}
