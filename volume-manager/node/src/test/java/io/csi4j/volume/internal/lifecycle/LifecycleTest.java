package io.csi4j.volume.internal.lifecycle;

import static io.csi4j.volume.internal.lifecycle.Walk.A;
import static io.csi4j.volume.internal.lifecycle.Walk.B;
import static io.csi4j.volume.internal.lifecycle.Walk.fails;
import static io.csi4j.volume.internal.lifecycle.Walk.fromNothing;
import static io.csi4j.volume.internal.lifecycle.Walk.fromUsedBy;
import static io.csi4j.volume.internal.lifecycle.Walk.neverSent;
import static io.csi4j.volume.internal.lifecycle.Walk.problem;
import static io.csi4j.volume.internal.lifecycle.Walk.publish;
import static io.csi4j.volume.internal.lifecycle.Walk.takenOver;
import static io.csi4j.volume.internal.lifecycle.Walk.unsaved;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.StatusCode;
import io.csi4j.volume.internal.link.Answer;
import io.csi4j.volume.internal.path.PathProblem;
import io.csi4j.volume.internal.record.PathRecord;
import io.csi4j.volume.internal.record.Plan;
import io.csi4j.volume.internal.record.TargetRecord;
import io.csi4j.volume.internal.record.Verb;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.node.PathStatus;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every way that an operation can go: one row each, its steps in full. */
class LifecycleTest {

  private static final Optional<VolumeUse> STAGING = Optional.empty();
  private static final Optional<VolumeUse> TARGET = Optional.of(A);

  private static final String INTEND =
      "look; save INTENT_SAVED [IN_DOUBT STAGE?, a IN_DOUBT]; make volume; ";
  private static final String STAGED =
      "STAGE; look; save STAGED_SAVED [PRESENT, a IN_DOUBT PUBLISH?]; make use; ";
  private static final String UNPUBLISHED =
      "save RELEASE_SAVED [PRESENT, a GOING UNPUBLISH?]; UNPUBLISH; look; remove use; ";
  private static final String UNSTAGED =
      "save USE_END_SAVED [IN_DOUBT UNSTAGE?]; UNSTAGE; look; remove volume; bury; ";
  private static final String PUBLISHED_WITH_NEW =
      "look; save INTENT_SAVED [PRESENT, a IN_DOUBT PUBLISH? with new]; make use; PUBLISH; look;"
          + " save PUBLISHED_SAVED [PRESENT, a PRESENT with new]; published";

  private static Arguments row(String name, Walk walk, Goal goal, String steps) {
    return Arguments.of(name, walk, goal, steps);
  }

  static Stream<Arguments> publishing() {
    return Stream.of(
        row(
            "a first use",
            fromNothing(),
            publish(A),
            INTEND
                + STAGED
                + "PUBLISH; look; save PUBLISHED_SAVED [PRESENT, a PRESENT]; published"),
        row(
            "a use of a plugin without staging",
            fromNothing(),
            Walk.publish(A, Walk.plan(false, false), false),
            "look; save INTENT_SAVED [NONE, a IN_DOUBT PUBLISH?]; make volume; make use; PUBLISH; look;"
                + " save PUBLISHED_SAVED [NONE, a PRESENT]; published"),
        row(
            "a second use",
            fromUsedBy(B),
            publish(A),
            "look; save INTENT_SAVED [PRESENT, a IN_DOUBT PUBLISH?, b PRESENT]; make use; PUBLISH; look;"
                + " save PUBLISHED_SAVED [PRESENT, a PRESENT, b PRESENT]; published"),
        row("what is there already", fromUsedBy(A), publish(A), "look; published"),
        row(
            "the same contexts again, while the plugin may be publishing it with them",
            comingUse("new").unmount(TARGET),
            publishWith("new"),
            PUBLISHED_WITH_NEW),
        row(
            "other contexts, once it is certain that the plugin is not publishing it",
            comingUse("old").unmount(TARGET).quarantineIsOver(),
            publishWith("new"),
            PUBLISHED_WITH_NEW),
        row(
            "what is there already, and broken",
            fromUsedBy(A).broken(),
            publish(A),
            "look; note MOUNT_BROKEN; published"),
        row(
            "what somebody has unmounted",
            fromUsedBy(A).unmount(TARGET),
            publish(A),
            "look; note MOUNT_LOST; save INTENT_SAVED [PRESENT, a IN_DOUBT PUBLISH?]; make use; PUBLISH;"
                + " look; save PUBLISHED_SAVED [PRESENT, a PRESENT]; published"),
        row(
            "a staging that somebody has unmounted",
            fromUsedBy(B).unmount(STAGING),
            publish(A),
            "look; note STAGING_LOST; save INTENT_SAVED [IN_DOUBT STAGE?, a IN_DOUBT, b PRESENT];"
                + " make volume; STAGE; look;"
                + " save STAGED_SAVED [PRESENT, a IN_DOUBT PUBLISH?, b PRESENT]; make use; PUBLISH; look;"
                + " save PUBLISHED_SAVED [PRESENT, a PRESENT, b PRESENT]; published"),
        row(
            "another mount at the target",
            fromUsedBy(A).foreign(TARGET),
            publish(A),
            "look; held FOREIGN_MOUNT"),
        row(
            "another mount at the staging path",
            fromUsedBy(B).foreign(STAGING),
            publish(A),
            "look; held FOREIGN_MOUNT"),
        row(
            "a mount covered by another, where nobody knows which is ours",
            fromNothing()
                .from(fromNothing().record().withStaging(PathRecord.NONE.as(PathStatus.IN_DOUBT)))
                .covered(STAGING),
            publish(A),
            "look; held FOREIGN_MOUNT"),
        row(
            "a mount that nobody remembers at the target",
            fromNothing().mount(TARGET),
            publish(A),
            "look; save RELEASE_SAVED [NONE, a GOING UNPUBLISH?]; UNPUBLISH; look; remove use; save USE_END_SAVED [NONE];"
                + " "
                + INTEND
                + STAGED
                + "PUBLISH; look; save PUBLISHED_SAVED [PRESENT, a PRESENT]; published"),
        row(
            "a mount that was writable and is read-only now",
            fromUsedBy(A).readOnly(TARGET),
            publish(A),
            "look; held FOREIGN_MOUNT"),
        row(
            "a mount covered by another, where the plugin may still be publishing what was let go",
            goingUse(Verb.PUBLISH).covered(TARGET).goingOn(TARGET),
            publish(A),
            "look; held FOREIGN_MOUNT"),
        row(
            "a mount that nobody remembers at the staging path",
            fromNothing().mount(STAGING),
            publish(A),
            "look; save USE_END_SAVED [IN_DOUBT UNSTAGE?]; UNSTAGE; look; "
                + INTEND
                + STAGED
                + "PUBLISH; look; save PUBLISHED_SAVED [PRESENT, a PRESENT]; published"),
        row(
            "a use that is being given up",
            goingUse(),
            publish(A),
            "look; "
                + UNPUBLISHED
                + "save USE_END_SAVED [PRESENT]; look; save INTENT_SAVED [PRESENT, a IN_DOUBT PUBLISH?]; make use;"
                + " PUBLISH; look; save PUBLISHED_SAVED [PRESENT, a PRESENT]; published"));
  }

  private static Event withoutSecrets() {
    return new Event.Answered(
        Answer.failed(Walk.failure(StatusCode.UNAUTHENTICATED, 0, "the host gave none")));
  }

  private static Walk goingUse(Verb pending) {
    Walk walk = goingUse();
    TargetRecord use = walk.record().target(A).orElseThrow();
    return walk.from(walk.record().withTarget(use.with(use.path().working(pending, "plugin-1"))));
  }

  private static Walk goingUse() {
    Walk walk = fromUsedBy(A);
    return walk.from(
        walk.record()
            .withTarget(
                new TargetRecord(
                    A,
                    false,
                    new PathRecord(PathStatus.GOING, Optional.empty(), Optional.empty()))));
  }

  static Stream<Arguments> publishingThatFails() {
    return Stream.of(
        row(
            "staging refused",
            fromNothing().always("STAGE", fails(StatusCode.INVALID_ARGUMENT)),
            publish(A),
            INTEND + "STAGE; remove use; " + UNSTAGED + "refused REFUSED_BY_PLUGIN"),
        row(
            "staging refused, and a publish that was given up long before comes meanwhile",
            fromNothing()
                .always("STAGE", fails(StatusCode.INVALID_ARGUMENT))
                .at("remove use", 1, mounted()),
            publish(A),
            INTEND
                + "STAGE; remove use; save RELEASE_SAVED [IN_DOUBT, a GOING UNPUBLISH?]; UNPUBLISH; look;"
                + " remove use; "
                + UNSTAGED
                + "refused REFUSED_BY_PLUGIN"),
        row(
            "staging failed three times",
            fromNothing().always("STAGE", fails(StatusCode.INTERNAL)),
            publish(A),
            INTEND
                + "STAGE; pause; STAGE; pause; STAGE; remove use; "
                + UNSTAGED
                + "refused FAILED_IN_DOUBT"),
        row(
            "staging failed once",
            fromNothing().at("STAGE", 1, fails(StatusCode.UNKNOWN)),
            publish(A),
            INTEND
                + "STAGE; pause; "
                + STAGED
                + "PUBLISH; look; save PUBLISHED_SAVED [PRESENT, a PRESENT]; published"),
        row(
            "staging with no end in sight",
            fromNothing().always("STAGE", fails(StatusCode.DEADLINE_EXCEEDED)),
            publish(A),
            INTEND
                + "STAGE; pause; STAGE; pause; STAGE; remove use; save USE_END_SAVED [IN_DOUBT STAGE?];"
                + " unfinished STAGE_IN_DOUBT, undoing STAGE_IN_DOUBT"),
        row(
            "staging of which another call is in the way",
            fromNothing().always("STAGE", fails(StatusCode.ABORTED)),
            publish(A),
            INTEND
                + "STAGE; pause; STAGE; pause; STAGE; remove use; save USE_END_SAVED [IN_DOUBT STAGE?];"
                + " unfinished STAGE_IN_DOUBT, undoing STAGE_IN_DOUBT"),
        row(
            "nobody there",
            fromNothing().always("STAGE", neverSent()),
            publish(A),
            INTEND
                + "STAGE; pause; STAGE; pause; STAGE; remove use; save USE_END_SAVED [NONE]; remove volume;"
                + " forget; refused PLUGIN_NOT_UP"),
        row(
            "secrets that nobody gave",
            fromNothing().always("STAGE", withoutSecrets()),
            publish(A),
            INTEND
                + "STAGE; remove use; save USE_END_SAVED [NONE]; remove volume; forget;"
                + " refused SECRETS_UNAVAILABLE"),
        row(
            "nobody there after a try without an answer",
            fromNothing()
                .at("STAGE", 1, fails(StatusCode.INTERNAL))
                .at("STAGE", 2, neverSent())
                .at("STAGE", 3, neverSent()),
            publish(A),
            INTEND
                + "STAGE; pause; STAGE; pause; STAGE; remove use; "
                + UNSTAGED
                + "refused FAILED_IN_DOUBT"),
        row(
            "a call that throws",
            fromNothing().breaks("STAGE", new IllegalStateException()),
            publish(A),
            INTEND + "STAGE; remove use; " + UNSTAGED + "refused STEP_FAILED"),
        row(
            "publishing refused",
            fromNothing().always("PUBLISH", fails(StatusCode.OUT_OF_RANGE)),
            publish(A),
            INTEND + STAGED + "PUBLISH; " + UNPUBLISHED + UNSTAGED + "refused REFUSED_BY_PLUGIN"),
        row(
            "publishing refused beside another use",
            fromUsedBy(B).always("PUBLISH", fails(StatusCode.OUT_OF_RANGE)),
            publish(A),
            "look; save INTENT_SAVED [PRESENT, a IN_DOUBT PUBLISH?, b PRESENT]; make use; PUBLISH;"
                + " save RELEASE_SAVED [PRESENT, a GOING UNPUBLISH?, b PRESENT]; UNPUBLISH; look; remove use;"
                + " save USE_END_SAVED [PRESENT, b PRESENT]; refused REFUSED_BY_PLUGIN"),
        row(
            "a staging that the plugin misses once",
            fromNothing().at("PUBLISH", 1, fails(StatusCode.FAILED_PRECONDITION)),
            publish(A),
            INTEND
                + STAGED
                + "PUBLISH; save INTENT_SAVED [IN_DOUBT STAGE?, a IN_DOUBT]; "
                + STAGED
                + "PUBLISH; look; save PUBLISHED_SAVED [PRESENT, a PRESENT]; published"),
        row(
            "a volume for one that another has got by a call that was given up long before",
            fromNothing().strayAt(1),
            Walk.publish(
                A, new Plan(true, false, AccessMode.SINGLE_NODE_WRITER, "", "", ""), false),
            INTEND
                + STAGED
                + "remove use; save USE_END_SAVED [PRESENT, b GOING]; refused VOLUME_IN_USE"),
        row(
            "a staging that the plugin always misses",
            fromNothing().always("PUBLISH", fails(StatusCode.FAILED_PRECONDITION)),
            publish(A),
            INTEND
                + STAGED
                + "PUBLISH; save INTENT_SAVED [IN_DOUBT STAGE?, a IN_DOUBT]; "
                + STAGED
                + "PUBLISH; "
                + UNPUBLISHED
                + UNSTAGED
                + "refused REFUSED_BY_PLUGIN"),
        row(
            "publishing with no end in sight",
            fromNothing().always("PUBLISH", fails(StatusCode.UNAVAILABLE)),
            publish(A),
            INTEND
                + STAGED
                + "PUBLISH; pause; look; PUBLISH; pause; look; PUBLISH; save RELEASE_SAVED [PRESENT, a GOING"
                + " PUBLISH?]; unfinished PUBLISH_IN_DOUBT, undoing PUBLISH_IN_DOUBT"),
        row(
            "a use in doubt that is dead, which the plugin's policy leaves as it is",
            usedInDoubt().dead(TARGET).policy(MountPolicy.builder().attempts(1).build()),
            publish(A),
            "look; save INTENT_SAVED [IN_DOUBT STAGE?, a IN_DOUBT PUBLISH?]; make volume; "
                + "STAGE; look; save STAGED_SAVED [PRESENT, a IN_DOUBT PUBLISH?]; make use; PUBLISH; look;"
                + " unfinished MOUNT_DEAD"),
        row(
            "a use in doubt that is mounted, as a workload may be using it",
            usedInDoubt().always("STAGE", fails(StatusCode.INVALID_ARGUMENT)),
            publish(A),
            "look; save INTENT_SAVED [IN_DOUBT STAGE?, a IN_DOUBT PUBLISH?]; make volume; STAGE;"
                + " unfinished REFUSED_BY_PLUGIN"),
        row(
            "a use in doubt that is not mounted",
            usedInDoubt().unmount(TARGET).always("STAGE", fails(StatusCode.INVALID_ARGUMENT)),
            publish(A),
            "look; save INTENT_SAVED [IN_DOUBT STAGE?, a IN_DOUBT PUBLISH?]; make volume; STAGE;"
                + " save RELEASE_SAVED [IN_DOUBT, a GOING UNPUBLISH?]; UNPUBLISH; look; remove use; "
                + UNSTAGED
                + "refused REFUSED_BY_PLUGIN"),
        row(
            "other contexts, while the plugin may be publishing it with the former ones",
            comingUse("old").unmount(TARGET),
            publishWith("new"),
            "look; save RELEASE_SAVED [PRESENT, a GOING PUBLISH? with old]; unfinished"
                + " PUBLISH_IN_DOUBT, undoing PUBLISH_IN_DOUBT"),
        row(
            "the same, where it is mounted and a workload may be using it",
            comingUse("old"),
            publishWith("new"),
            "look; unfinished PUBLISH_IN_DOUBT"),
        row(
            "data lost",
            fromNothing().always("PUBLISH", fails(StatusCode.DATA_LOSS)),
            publish(A),
            INTEND + STAGED + "PUBLISH; " + UNPUBLISHED + UNSTAGED + "refused DATA_LOSS"),
        row(
            "a plugin that cannot be undone",
            fromNothing()
                .always("PUBLISH", fails(StatusCode.OUT_OF_RANGE))
                .always("UNPUBLISH", fails(StatusCode.INTERNAL)),
            publish(A),
            INTEND
                + STAGED
                + "PUBLISH; save RELEASE_SAVED [PRESENT, a GOING UNPUBLISH?]; UNPUBLISH; pause; UNPUBLISH;"
                + " pause; UNPUBLISH; unfinished REFUSED_BY_PLUGIN, undoing UNPUBLISH_IN_DOUBT"));
  }

  private static Event onlyStaged() {
    return fromUsedBy().looked();
  }

  static Stream<Arguments> publishingThatIsNotSeen() {
    Event nothing = new Event.Looked(List.of(), List.of(), false, true);
    return Stream.of(
        row(
            "published, and nothing mounted",
            fromNothing()
                .at("look", 3, onlyStaged())
                .at("look", 4, onlyStaged())
                .at("look", 5, onlyStaged())
                .at("look", 6, onlyStaged())
                .at("look", 7, onlyStaged()),
            publish(A),
            INTEND
                + STAGED
                + "PUBLISH; look; pause; look; PUBLISH; look; pause; look; PUBLISH; look; "
                + UNPUBLISHED
                + UNSTAGED
                + "refused MOUNT_NOT_VISIBLE"),
        row(
            "published, and nothing mounted, as the staging went meanwhile",
            fromNothing().at("look", 3, nothing),
            publish(A),
            INTEND
                + STAGED
                + "PUBLISH; look; note STAGING_LOST; save INTENT_SAVED [IN_DOUBT STAGE?, a IN_DOUBT]; "
                + STAGED
                + "PUBLISH; look; save PUBLISHED_SAVED [PRESENT, a PRESENT]; published"),
        row(
            "a publish that failed, and the staging went before it is repeated",
            fromNothing().at("PUBLISH", 1, fails(StatusCode.INTERNAL)).at("look", 3, nothing),
            publish(A),
            INTEND
                + STAGED
                + "PUBLISH; pause; look; note STAGING_LOST; save INTENT_SAVED [IN_DOUBT STAGE?, a IN_DOUBT]; "
                + STAGED
                + "PUBLISH; look; save PUBLISHED_SAVED [PRESENT, a PRESENT]; published"),
        row(
            "published, and nothing mounted, as the staging goes each time",
            fromNothing().at("look", 3, nothing).at("look", 5, nothing),
            publish(A),
            INTEND
                + STAGED
                + "PUBLISH; look; note STAGING_LOST; save INTENT_SAVED [IN_DOUBT STAGE?, a IN_DOUBT]; "
                + STAGED
                + "PUBLISH; look; note STAGING_LOST; "
                + UNPUBLISHED
                + UNSTAGED
                + "refused MOUNT_NOT_VISIBLE"),
        row(
            "published, and nothing mounted, where that is allowed",
            fromNothing()
                .at("look", 3, nothing)
                .policy(MountPolicy.builder().requireMount(false).build()),
            publish(A),
            INTEND
                + STAGED
                + "PUBLISH; look; save PUBLISHED_SAVED [PRESENT, a PRESENT]; published"),
        row(
            "published, and nothing made, where no mount is needed",
            fromNothing()
                .at("look", 3, onlyStaged())
                .policy(MountPolicy.builder().requireMount(false).attempts(1).build()),
            publish(A),
            INTEND
                + STAGED
                + "PUBLISH; look; "
                + UNPUBLISHED
                + UNSTAGED
                + "refused MOUNT_NOT_VISIBLE"),
        row(
            "staged, and nothing mounted, where a mount is needed",
            fromNothing()
                .at("look", 2, nothing)
                .policy(MountPolicy.builder().requireStagingMount(true).attempts(1).build()),
            publish(A),
            INTEND + "STAGE; look; remove use; " + UNSTAGED + "refused MOUNT_NOT_VISIBLE"),
        row(
            "writable, where read-only was wanted",
            fromNothing(),
            Walk.publish(A, Walk.plan(true, false), true),
            INTEND
                + STAGED
                + "PUBLISH; look; "
                + UNPUBLISHED
                + UNSTAGED
                + "refused MOUNT_FLAGS_DIFFER"),
        row(
            "no device, where a device was wanted",
            fromNothing(),
            Walk.publish(A, Walk.plan(true, true), false),
            INTEND + STAGED + "PUBLISH; look; " + UNPUBLISHED + UNSTAGED + "refused NOT_A_DEVICE"));
  }

  static Stream<Arguments> publishingOnBadDisks() {
    return Stream.of(
        row(
            "an intent that cannot be remembered",
            fromNothing().always("save INTENT_SAVED", unsaved()),
            publish(A),
            "look; save INTENT_SAVED [IN_DOUBT STAGE?, a IN_DOUBT]; remove use; save USE_END_SAVED [NONE];"
                + " remove volume; forget; refused STATE_DISK_FULL"),
        row(
            "an intent, when another manager has the state",
            fromNothing()
                .always("save INTENT_SAVED", takenOver())
                .always("save USE_END_SAVED", takenOver()),
            publish(A),
            "look; save INTENT_SAVED [IN_DOUBT STAGE?, a IN_DOUBT]; remove use; save USE_END_SAVED [NONE]; held"
                + " STATE_TAKEN_OVER, undoing STATE_TAKEN_OVER"),
        row(
            "a staging that cannot be remembered",
            fromNothing().always("save STAGED_SAVED", unsaved()),
            publish(A),
            INTEND
                + "STAGE; look; save STAGED_SAVED [PRESENT, a IN_DOUBT PUBLISH?]; remove use; "
                + UNSTAGED
                + "refused STATE_DISK_FULL"),
        row(
            "a publication that cannot be remembered",
            fromNothing().always("save PUBLISHED_SAVED", unsaved()),
            publish(A),
            INTEND
                + STAGED
                + "PUBLISH; look; save PUBLISHED_SAVED [PRESENT, a PRESENT]; "
                + UNPUBLISHED
                + UNSTAGED
                + "refused STATE_DISK_FULL"),
        row(
            "no room for directories",
            fromNothing().always("make volume", problem(PathProblem.Kind.NO_SPACE)),
            publish(A),
            INTEND
                + "remove use; save USE_END_SAVED [NONE]; remove volume; forget; refused NO_SPACE"),
        row(
            "something in the way of a target",
            fromNothing().always("make use", problem(PathProblem.Kind.NOT_EMPTY)),
            publish(A),
            INTEND + STAGED + "remove use; " + UNSTAGED + "refused PATH_NOT_EMPTY"),
        row(
            "a step that throws",
            fromNothing().breaks("make use", new OutOfMemoryError()),
            publish(A),
            INTEND + STAGED + "remove use; " + UNSTAGED + "refused STEP_FAILED"));
  }

  static Stream<Arguments> admission() {
    return Stream.of(
        row(
            "other options than those in use",
            fromUsedBy(B),
            Walk.publish(A, Walk.plan(true, true), false),
            "refused OPTIONS_DIFFER"),
        row(
            "read-only, where the same use may write",
            fromUsedBy(A),
            Walk.publish(A, Walk.plan(true, false), true),
            "refused OPTIONS_DIFFER"),
        row(
            "a single writer that there is already",
            fromUsedBy(B),
            Walk.publish(
                A, new Plan(true, false, AccessMode.SINGLE_NODE_WRITER, "", "", ""), false),
            "refused VOLUME_IN_USE"),
        row(
            "other options than a staging that is left",
            leftStaging(),
            Walk.publish(
                A, new Plan(true, false, AccessMode.SINGLE_NODE_WRITER, "", "", ""), false),
            "look; save USE_END_SAVED [IN_DOUBT UNSTAGE?]; UNSTAGE; look; "
                + INTEND
                + STAGED
                + "PUBLISH; look; save PUBLISHED_SAVED [PRESENT, a PRESENT]; published"));
  }

  private static Walk usedInDoubt() {
    Walk walk = fromUsedBy(A);
    VolumeRecord record = walk.record();
    TargetRecord use = record.target(A).orElseThrow();
    return walk.from(
        record
            .withStaging(record.staging().as(PathStatus.IN_DOUBT))
            .withTarget(use.with(use.path().as(PathStatus.IN_DOUBT))));
  }

  private static Walk leftStaging() {
    Walk walk = fromUsedBy();
    return walk.from(walk.record().withStaging(walk.record().staging().as(PathStatus.IN_DOUBT)));
  }

  static Stream<Arguments> releasing() {
    Goal release = new Goal.Release(A);
    return Stream.of(
        row(
            "the last use",
            fromUsedBy(A),
            release,
            "look; " + UNPUBLISHED + UNSTAGED + "released LAST"),
        row(
            "not the last use",
            fromUsedBy(A, B),
            release,
            "look; save RELEASE_SAVED [PRESENT, a GOING UNPUBLISH?, b PRESENT]; UNPUBLISH; look; remove use;"
                + " save USE_END_SAVED [PRESENT, b PRESENT]; released NOT_LAST"),
        row("an unknown use", fromUsedBy(B), release, "released UNKNOWN"),
        row(
            "a use without staging",
            unstagedUse(),
            release,
            "look; save RELEASE_SAVED [NONE, a GOING UNPUBLISH?]; UNPUBLISH; look; remove use;"
                + " save USE_END_SAVED [NONE]; remove volume; bury; released LAST"),
        row(
            "a failing unpublish",
            fromUsedBy(A).always("UNPUBLISH", fails(StatusCode.INTERNAL)),
            release,
            "look; save RELEASE_SAVED [PRESENT, a GOING UNPUBLISH?]; UNPUBLISH; pause; UNPUBLISH; pause;"
                + " UNPUBLISH; unfinished UNPUBLISH_IN_DOUBT"),
        row(
            "an unpublish that is refused on this side",
            fromUsedBy(A)
                .always(
                    "UNPUBLISH",
                    new Event.Answered(
                        Answer.failed(Walk.failure(StatusCode.INVALID_ARGUMENT, 0, "too long")))),
            release,
            "look; save RELEASE_SAVED [PRESENT, a GOING UNPUBLISH?]; UNPUBLISH; unfinished"
                + " RELEASE_NOT_SENT"),
        row(
            "a refused unpublish",
            fromUsedBy(A).always("UNPUBLISH", fails(StatusCode.PERMISSION_DENIED)),
            release,
            "look; save RELEASE_SAVED [PRESENT, a GOING UNPUBLISH?]; UNPUBLISH; unfinished RELEASE_REFUSED"),
        row(
            "a failing unstage",
            fromUsedBy(A).always("UNSTAGE", fails(StatusCode.INTERNAL)),
            release,
            "look; "
                + UNPUBLISHED
                + "save USE_END_SAVED [IN_DOUBT UNSTAGE?]; UNSTAGE; pause; UNSTAGE; pause; UNSTAGE;"
                + " unfinished UNSTAGE_IN_DOUBT"),
        row(
            "OK, and it is still mounted",
            fromUsedBy(A).always("UNPUBLISH", new Event.Answered(okAnswer())),
            release,
            "look; save RELEASE_SAVED [PRESENT, a GOING UNPUBLISH?]; UNPUBLISH; look; pause; UNPUBLISH; look;"
                + " pause; UNPUBLISH; look; unfinished STILL_MOUNTED"),
        row(
            "five mounts on top of each other",
            fromUsedBy(A).layers(TARGET, 5),
            release,
            "look; save RELEASE_SAVED [PRESENT, a GOING UNPUBLISH?]; UNPUBLISH; look; pause; UNPUBLISH; look;"
                + " pause; UNPUBLISH; look; pause; UNPUBLISH; look; pause; UNPUBLISH; look;"
                + " remove use; "
                + UNSTAGED
                + "released LAST"),
        row(
            "a volume that the plugin has forgotten, and that is gone",
            fromUsedBy(A).unmount(TARGET).always("UNPUBLISH", fails(StatusCode.NOT_FOUND)),
            release,
            "look; save RELEASE_SAVED [PRESENT, a GOING UNPUBLISH?]; UNPUBLISH; look; note PLUGIN_FORGOT;"
                + " remove use; "
                + UNSTAGED
                + "released LAST"),
        row(
            "a volume that the plugin has forgotten, and that is mounted",
            fromUsedBy(A).always("UNPUBLISH", fails(StatusCode.NOT_FOUND)),
            release,
            "look; save RELEASE_SAVED [PRESENT, a GOING UNPUBLISH?]; UNPUBLISH; look; held"
                + " CLEANUP_NEEDS_HELP"),
        row(
            "a release, when another manager has the state",
            fromUsedBy(A).always("save RELEASE_SAVED", takenOver()),
            release,
            "look; save RELEASE_SAVED [PRESENT, a GOING UNPUBLISH?]; held STATE_TAKEN_OVER"),
        row(
            "a plugin that cannot unstage any more, and nothing is staged",
            fromUsedBy(A).unmount(STAGING).always("UNSTAGE", fails(StatusCode.UNIMPLEMENTED)),
            release,
            "look; "
                + UNPUBLISHED
                + "save USE_END_SAVED [IN_DOUBT UNSTAGE?]; UNSTAGE; unfinished CAPABILITY_LOST"),
        row(
            "a use that may still be coming",
            comingUse(),
            release,
            "look; save RELEASE_SAVED [PRESENT, a GOING PUBLISH?]; unfinished PUBLISH_IN_DOUBT"),
        row(
            "a use that was coming, long ago",
            comingUse().quarantineIsOver(),
            release,
            "look; " + UNPUBLISHED + UNSTAGED + "released LAST"),
        row(
            "another mount at the target",
            fromUsedBy(A).foreign(TARGET),
            release,
            "look; held FOREIGN_MOUNT"),
        row(
            "a mount covered by another, where nobody knows which is ours",
            comingUse().quarantineIsOver().covered(TARGET),
            release,
            "look; held FOREIGN_MOUNT"),
        row(
            "a target that is mounted again as soon as it is free",
            fromUsedBy(A).always("remove use", mounted()),
            release,
            "look; " + UNPUBLISHED + "unfinished STILL_MOUNTED"),
        row(
            "a use of another workload that comes before it is unstaged",
            fromUsedBy(A).strayAt(1),
            release,
            "look; "
                + UNPUBLISHED
                + "save USE_END_SAVED [IN_DOUBT UNSTAGE?]; unfinished STILL_MOUNTED"),
        row(
            "the same between two tries",
            fromUsedBy(A).always("UNSTAGE", fails(StatusCode.INTERNAL)).strayAt(2),
            release,
            "look; "
                + UNPUBLISHED
                + "save USE_END_SAVED [IN_DOUBT UNSTAGE?]; UNSTAGE; pause; unfinished STILL_MOUNTED"),
        row(
            "a device that another program has mounted",
            fromUsedBy(A).elsewhereUntil(9),
            release,
            "look; "
                + UNPUBLISHED
                + "save USE_END_SAVED [IN_DOUBT UNSTAGE?]; save USE_END_SAVED [IN_DOUBT];"
                + " unfinished MOUNTED_ELSEWHERE"),
        row(
            "the same where the policy lets it be unstaged",
            fromUsedBy(A)
                .elsewhereUntil(9)
                .policy(MountPolicy.builder().unstageMountedElsewhere(true).build()),
            release,
            "look; " + UNPUBLISHED + UNSTAGED + "released LAST"),
        row(
            "files left at the target",
            fromUsedBy(A).always("remove use", problem(PathProblem.Kind.NOT_EMPTY)),
            release,
            "look; " + UNPUBLISHED + "note PATH_NOT_EMPTY; " + UNSTAGED + "released LAST"),
        row(
            "a staging that nobody uses",
            leftStaging(),
            new Goal.Settle(),
            "look; " + UNSTAGED + "released LAST"),
        row("a volume that somebody uses", fromUsedBy(A), new Goal.Settle(), "released NOT_LAST"));
  }

  private static Answer okAnswer() {
    return Answer.ok();
  }

  private static Event mounted() {
    return new Event.Arranged(Optional.empty(), true);
  }

  private static Walk unstagedUse() {
    Walk walk = fromUsedBy(A).unmount(STAGING);
    VolumeRecord record = walk.record();
    return walk.from(
        VolumeRecord.fresh(Walk.IDENTITY, Walk.plan(false, false), Walk.PLACE)
            .withTarget(record.target(A).orElseThrow()));
  }

  private static Goal publishWith(String context) {
    return Walk.publish(A, Walk.plan(true, false), false, context);
  }

  private static Walk comingUse(String context) {
    Walk walk = comingUse();
    return walk.from(walk.record().withContext(A, Walk.digest(context)));
  }

  private static Walk comingUse() {
    Walk walk = fromUsedBy(A);
    return walk.from(
            walk.record()
                .withTarget(
                    new TargetRecord(
                        A,
                        false,
                        PathRecord.NONE.as(PathStatus.IN_DOUBT).working(Verb.PUBLISH, "plugin-1"))))
        .goingOn(TARGET);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource({
    "publishing",
    "publishingThatFails",
    "publishingThatIsNotSeen",
    "publishingOnBadDisks",
    "admission",
    "releasing"
  })
  void everyWayHasItsSteps(String name, Walk walk, Goal goal, String steps) {
    assertThat(String.join("; ", walk.to(goal))).as(name).isEqualTo(steps);
  }
}
