package io.csi4j.volume.internal.lifecycle;

import static io.csi4j.volume.internal.lifecycle.Walk.A;
import static io.csi4j.volume.internal.lifecycle.Walk.B;
import static io.csi4j.volume.internal.lifecycle.Walk.fails;
import static io.csi4j.volume.internal.lifecycle.Walk.fromNothing;
import static io.csi4j.volume.internal.lifecycle.Walk.fromUsedBy;
import static io.csi4j.volume.internal.lifecycle.Walk.nothingDone;
import static io.csi4j.volume.internal.lifecycle.Walk.publish;
import static io.csi4j.volume.internal.lifecycle.Walk.unsaved;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.StatusCode;
import io.csi4j.volume.internal.record.PathRecord;
import io.csi4j.volume.internal.record.TargetRecord;
import io.csi4j.volume.internal.record.Verb;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.MountPolicy.OnDeadMount;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.node.PathStatus;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** How dead mounts are made anew, and what a plugin in trouble gets: one row each. */
class RepairingTest {

  private static final Optional<VolumeUse> STAGING = Optional.empty();
  private static final Optional<VolumeUse> TARGET = Optional.of(A);

  private static final MountPolicy REPUBLISHING =
      MountPolicy.builder().onDeadMount(OnDeadMount.REPUBLISH).build();

  private static final MountPolicy STAGING_DEMANDED =
      MountPolicy.builder().requireStagingMount(true).build();

  private static final String TAKEN =
      "look; save RELEASE_SAVED [PRESENT, a IN_DOUBT UNPUBLISH?]; UNPUBLISH; look; save USE_END_SAVED [PRESENT, a NONE];"
          + " ";
  private static final String PUBLISHED =
      "look; save INTENT_SAVED [PRESENT, a IN_DOUBT PUBLISH?]; make use; PUBLISH; look;"
          + " save PUBLISHED_SAVED [PRESENT, a PRESENT]; published";

  private static Arguments row(String name, Walk walk, Goal goal, String steps) {
    return Arguments.of(name, walk, goal, steps);
  }

  private static Goal.Publish keeping() {
    return Walk.publish(A, Walk.plan(true, false), false).keeping();
  }

  private static Walk from(PathRecord path) {
    return fromUsedBy(A).from(fromUsedBy(A).record().withTarget(new TargetRecord(A, false, path)));
  }

  /** From a use of which nothing is mounted, on a staging that is dead. */
  private static Walk withdrawn() {
    return from(PathRecord.NONE).unmount(TARGET).dead(STAGING);
  }

  static Stream<Arguments> repairing() {
    PathRecord inDoubt = PathRecord.NONE.as(PathStatus.IN_DOUBT);
    return Stream.of(
        row(
            "a dead mount whose use stays",
            fromUsedBy(A).dead(TARGET),
            new Goal.Withdraw(TARGET),
            TAKEN + "withdrawn"),
        row(
            "a dead mount on a disk that remembers nothing",
            fromUsedBy(A).dead(TARGET).at("save RELEASE_SAVED", 1, unsaved()),
            new Goal.Withdraw(TARGET),
            "look; save RELEASE_SAVED [PRESENT, a IN_DOUBT UNPUBLISH?]; unfinished STATE_DISK_FULL"),
        row(
            "a dead mount over which there is another",
            fromUsedBy(A).foreign(TARGET),
            new Goal.Withdraw(TARGET),
            "look; held FOREIGN_MOUNT"),
        row(
            "a dead mount whose plugin refuses",
            fromUsedBy(A).dead(TARGET).always("UNPUBLISH", fails(StatusCode.INVALID_ARGUMENT)),
            new Goal.Withdraw(TARGET),
            "look; save RELEASE_SAVED [PRESENT, a IN_DOUBT UNPUBLISH?]; UNPUBLISH; held CLEANUP_NEEDS_HELP"),
        row(
            "a staging none of whose targets is there",
            withdrawn(),
            new Goal.Withdraw(STAGING),
            "look; save USE_END_SAVED [IN_DOUBT UNSTAGE?, a NONE]; UNSTAGE; look; withdrawn"),
        row(
            "a staging with a target that is there",
            fromUsedBy(A).dead(STAGING),
            new Goal.Withdraw(STAGING),
            "look; withdrawn"),
        row(
            "a use whose repair was not finished",
            from(inDoubt.working(Verb.UNPUBLISH, "plugin-1")),
            publish(A),
            TAKEN + PUBLISHED),
        row(
            "a use in doubt with a dead mount that is to be made anew",
            from(inDoubt).dead(TARGET).policy(REPUBLISHING),
            publish(A),
            TAKEN + PUBLISHED),
        row(
            "a use in doubt with a dead mount that may be being published",
            from(inDoubt.working(Verb.PUBLISH, "plugin-1")).dead(TARGET).goingOn(TARGET),
            publish(A),
            "look; save INTENT_SAVED [PRESENT, a IN_DOUBT PUBLISH?]; make use; PUBLISH; look; pause; look;"
                + " PUBLISH; look; pause; look; PUBLISH; look; unfinished MOUNT_DEAD"),
        row(
            "a dead mount that is asked for again, which the plugin's policy leaves",
            fromUsedBy(A).dead(TARGET),
            publish(A),
            "look; held MOUNT_DEAD"),
        row(
            "a dead mount that is asked for again, and is to be made anew",
            fromUsedBy(A).dead(TARGET).policy(REPUBLISHING),
            publish(A),
            TAKEN + PUBLISHED),
        row(
            "a dead mount that is asked for again, whose use stays though it cannot be made anew",
            fromUsedBy(A)
                .dead(TARGET)
                .policy(REPUBLISHING)
                .always("PUBLISH", fails(StatusCode.INVALID_ARGUMENT)),
            publish(A),
            TAKEN
                + "look; save INTENT_SAVED [PRESENT, a IN_DOUBT PUBLISH?]; make use; PUBLISH;"
                + " unfinished REFUSED_BY_PLUGIN"),
        row(
            "a dead mount that is asked for again, on a dead staging that another use has too",
            fromUsedBy(A, B).dead(TARGET).dead(STAGING).policy(REPUBLISHING),
            publish(A),
            "look; unfinished MOUNT_DEAD"),
        row(
            "a volume that the plugin says is staged, and nothing is mounted there",
            fromNothing().policy(STAGING_DEMANDED).always("STAGE", nothingDone()),
            publish(A),
            "look; save INTENT_SAVED [IN_DOUBT STAGE?, a IN_DOUBT]; make volume; STAGE; look; pause;"
                + " STAGE; look; pause; STAGE; look; remove use;"
                + " save USE_END_SAVED [IN_DOUBT UNSTAGE?]; UNSTAGE; look; remove volume; bury;"
                + " refused MOUNT_NOT_VISIBLE"),
        row(
            "a use without a mount on a dead staging",
            withdrawn(),
            publish(A),
            "look; save USE_END_SAVED [IN_DOUBT UNSTAGE?, a NONE]; UNSTAGE; look; look;"
                + " save INTENT_SAVED [IN_DOUBT STAGE?, a IN_DOUBT PUBLISH?]; make volume; STAGE; look;"
                + " save STAGED_SAVED [PRESENT, a IN_DOUBT PUBLISH?]; make use; PUBLISH; look;"
                + " save PUBLISHED_SAVED [PRESENT, a PRESENT]; published"),
        row(
            "a repair that the plugin refuses",
            from(PathRecord.NONE)
                .unmount(TARGET)
                .always("PUBLISH", fails(StatusCode.INVALID_ARGUMENT)),
            keeping(),
            "look; save INTENT_SAVED [PRESENT, a IN_DOUBT PUBLISH?]; make use; PUBLISH;"
                + " unfinished REFUSED_BY_PLUGIN"));
  }

  static Stream<Arguments> inTrouble() {
    MountPolicy forcing = MountPolicy.builder().forceAfterRefusals(2).build();
    String twice = "UNPUBLISH; look; pause; UNPUBLISH; look; ";
    return Stream.of(
        row(
            "a mount of a plugin that gets no calls",
            fromUsedBy(B).barred(),
            publish(A),
            "look; save INTENT_SAVED [PRESENT, a IN_DOUBT PUBLISH?, b PRESENT]; make use; remove use;"
                + " save USE_END_SAVED [PRESENT, b PRESENT]; refused PLUGIN_UNHEALTHY"),
        row(
            "a release of a plugin that gets no calls",
            fromUsedBy(A).barred(),
            new Goal.Release(A),
            "look; save RELEASE_SAVED [PRESENT, a GOING UNPUBLISH?]; unfinished PLUGIN_UNHEALTHY"),
        row(
            "a mount that the plugin forgot",
            fromUsedBy(A, B).always("UNPUBLISH", fails(StatusCode.NOT_FOUND)),
            new Goal.Release(A),
            "look; save RELEASE_SAVED [PRESENT, a GOING UNPUBLISH?, b PRESENT]; UNPUBLISH; look;"
                + " held CLEANUP_NEEDS_HELP"),
        row(
            "a mount that the plugin forgot and the host lets be forced",
            fromUsedBy(A, B).policy(forcing).always("UNPUBLISH", fails(StatusCode.NOT_FOUND)),
            new Goal.Release(A),
            "look; save RELEASE_SAVED [PRESENT, a GOING UNPUBLISH?, b PRESENT]; "
                + twice
                + "force; note UNMOUNT_FORCED; look; remove use;"
                + " save USE_END_SAVED [PRESENT, b PRESENT]; released NOT_LAST"),
        row(
            "OK to what stays mounted, and the host lets it be forced",
            fromUsedBy(A, B).policy(forcing).always("UNPUBLISH", nothingDone()),
            new Goal.Release(A),
            "look; save RELEASE_SAVED [PRESENT, a GOING UNPUBLISH?, b PRESENT]; UNPUBLISH; look; pause; "
                + twice
                + "force; note UNMOUNT_FORCED; look; remove use;"
                + " save USE_END_SAVED [PRESENT, b PRESENT]; released NOT_LAST"),
        row(
            "an answer that says something else, which is no refusal that counts",
            fromUsedBy(A, B)
                .policy(forcing)
                .always("UNPUBLISH", fails(StatusCode.NOT_FOUND))
                .at("UNPUBLISH", 1, fails(StatusCode.UNAVAILABLE)),
            new Goal.Release(A),
            "look; save RELEASE_SAVED [PRESENT, a GOING UNPUBLISH?, b PRESENT]; UNPUBLISH; pause; "
                + twice
                + "force; note UNMOUNT_FORCED; look; remove use;"
                + " save USE_END_SAVED [PRESENT, b PRESENT]; released NOT_LAST"),
        row(
            "a mount that is refused for another reason, which is never forced",
            fromUsedBy(A, B)
                .policy(forcing)
                .always("UNPUBLISH", fails(StatusCode.FAILED_PRECONDITION)),
            new Goal.Release(A),
            "look; save RELEASE_SAVED [PRESENT, a GOING UNPUBLISH?, b PRESENT]; UNPUBLISH;"
                + " unfinished RELEASE_REFUSED"),
        row(
            "a forced mount that somebody was using",
            fromUsedBy(A, B)
                .policy(forcing)
                .always("UNPUBLISH", fails(StatusCode.NOT_FOUND))
                .unmountedLazily(),
            new Goal.Release(A),
            "look; save RELEASE_SAVED [PRESENT, a GOING UNPUBLISH?, b PRESENT]; "
                + twice
                + "force; note UNMOUNT_FORCED; note LAZY_UNMOUNT_PENDING; look; remove use;"
                + " save USE_END_SAVED [PRESENT, b PRESENT]; released NOT_LAST"),
        row(
            "a dead mount that the plugin leaves",
            fromUsedBy(A, B).dead(TARGET).always("UNPUBLISH", nothingDone()),
            new Goal.Release(A),
            "look; save RELEASE_SAVED [PRESENT, a GOING UNPUBLISH?, b PRESENT]; UNPUBLISH; look; force;"
                + " note UNMOUNT_FORCED; look; remove use;"
                + " save USE_END_SAVED [PRESENT, b PRESENT]; released NOT_LAST"),
        row(
            "a dead mount that the plugin has forgotten",
            fromUsedBy(A, B).dead(TARGET).always("UNPUBLISH", fails(StatusCode.NOT_FOUND)),
            new Goal.Release(A),
            "look; save RELEASE_SAVED [PRESENT, a GOING UNPUBLISH?, b PRESENT]; UNPUBLISH; look; force;"
                + " note UNMOUNT_FORCED; look; remove use;"
                + " save USE_END_SAVED [PRESENT, b PRESENT]; released NOT_LAST"),
        row(
            "a use that the plugin goes on refusing to release, of which nothing is there",
            fromUsedBy(A, B)
                .unmount(TARGET)
                .refusedForLong(A)
                .always("UNPUBLISH", fails(StatusCode.UNKNOWN)),
            new Goal.Release(A),
            "look; save RELEASE_SAVED [PRESENT, a GOING UNPUBLISH?, b PRESENT]; UNPUBLISH; look; "
                + "note RELEASED_WITHOUT_CONFIRMATION; remove use;"
                + " save USE_END_SAVED [PRESENT, b PRESENT]; released NOT_LAST"),
        row(
            "a use that the plugin goes on refusing to release, which is mounted",
            fromUsedBy(A, B).refusedForLong(A).always("UNPUBLISH", fails(StatusCode.UNKNOWN)),
            new Goal.Release(A),
            "look; save RELEASE_SAVED [PRESENT, a GOING UNPUBLISH?, b PRESENT]; UNPUBLISH; look; "
                + "unfinished UNPUBLISH_IN_DOUBT"),
        row(
            "a dead staging that the plugin leaves",
            fromUsedBy(A).dead(STAGING).always("UNSTAGE", nothingDone()),
            new Goal.Release(A),
            "look; save RELEASE_SAVED [PRESENT, a GOING UNPUBLISH?]; UNPUBLISH; look; remove use;"
                + " save USE_END_SAVED [IN_DOUBT UNSTAGE?]; UNSTAGE; look; force;"
                + " note UNMOUNT_FORCED; look;"
                + " remove volume; bury; released LAST"),
        row(
            "a staging that the plugin forgot, and that is gone",
            fromUsedBy(A).unmount(STAGING).always("UNSTAGE", fails(StatusCode.NOT_FOUND)),
            new Goal.Release(A),
            "look; save RELEASE_SAVED [PRESENT, a GOING UNPUBLISH?]; UNPUBLISH; look; remove use;"
                + " save USE_END_SAVED [IN_DOUBT UNSTAGE?]; UNSTAGE; look; note PLUGIN_FORGOT;"
                + " remove volume; bury; released LAST"),
        row(
            "a staging that the plugin forgot and the host lets be forced",
            fromUsedBy(A).policy(forcing).always("UNSTAGE", fails(StatusCode.NOT_FOUND)),
            new Goal.Release(A),
            "look; save RELEASE_SAVED [PRESENT, a GOING UNPUBLISH?]; UNPUBLISH; look; remove use;"
                + " save USE_END_SAVED [IN_DOUBT UNSTAGE?]; UNSTAGE; look; pause; UNSTAGE;"
                + " look; force; note UNMOUNT_FORCED; look;"
                + " remove volume; bury; released LAST"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource({"repairing", "inTrouble"})
  void everyStepIsAsItIsWritten(String name, Walk walk, Goal goal, String steps) {
    assertThat(String.join("; ", walk.to(goal))).as(name).isEqualTo(steps);
  }
}
