package io.csi4j.volume.internal.lifecycle;

import static io.csi4j.volume.internal.lifecycle.Walk.A;
import static io.csi4j.volume.internal.lifecycle.Walk.B;
import static io.csi4j.volume.internal.lifecycle.Walk.fails;
import static io.csi4j.volume.internal.lifecycle.Walk.fromNothing;
import static io.csi4j.volume.internal.lifecycle.Walk.fromUsedBy;
import static io.csi4j.volume.internal.lifecycle.Walk.nothingDone;
import static io.csi4j.volume.internal.lifecycle.Walk.publish;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.StatusCode;
import io.csi4j.mount.model.Holder;
import io.csi4j.mount.model.Holders;
import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.record.Evidence;
import io.csi4j.volume.internal.record.PathRecord;
import io.csi4j.volume.internal.record.TargetRecord;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.MountPolicy.DeadUnmount;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.node.PathStatus;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What an operator is told on the way and at its end, with the commands to type: one row each. */
class WordsTest {

  private static final Optional<VolumeUse> TARGET = Optional.of(A);
  private static final Goal RELEASE = new Goal.Release(A);
  private static final MountPolicy ONCE = MountPolicy.builder().attempts(1).build();

  private static Arguments row(String name, Walk walk, Goal goal, String... words) {
    return Arguments.of(name, walk, goal, List.of(words));
  }

  private static MountPolicy forcing(int refusals) {
    return MountPolicy.builder().forceAfterRefusals(refusals).build();
  }

  private static Walk turned(boolean wasReadOnly) {
    Walk walk = fromUsedBy(A);
    Evidence seen = new Evidence("ref", "ext4", "/dev/sda", "/", wasReadOnly);
    return walk.from(
        walk.record()
            .withTarget(new TargetRecord(A, wasReadOnly, PathRecord.present(Optional.of(seen)))));
  }

  static Stream<Arguments> told() {
    Goal.Publish reading = Walk.publish(A, Walk.plan(true, false), true);
    String notKnown = "NodeUnpublishVolume ended with NOT_FOUND: so it is";
    return Stream.of(
        row(
            "a mount that was writable",
            turned(false).readOnly(TARGET),
            publish(A),
            "the mount was writable when it was made, but is read-only now"),
        row(
            "a mount that was read-only",
            turned(true),
            reading,
            "the mount was read-only when it was made, but is writable now"),
        row(
            "a mount that is lost",
            fromUsedBy(A).unmount(TARGET).unmount(Optional.empty()),
            publish(A),
            "the mount at the staging path is gone, and this manager did not remove it",
            "a: the mount is gone, and this manager did not remove it"),
        row(
            "a mount that the plugin leaves",
            fromUsedBy(A).policy(ONCE).always("UNPUBLISH", nothingDone()),
            RELEASE,
            "NodeUnpublishVolume was answered, and 1 mount is still there; unmount"
                + " it by hand: umount -c '/top/v/x'"),
        row(
            "two mounts, of which the plugin leaves both, at a path with a quote",
            fromUsedBy(A)
                .policy(ONCE)
                .always("UNPUBLISH", nothingDone())
                .at("look", 2, twice(ClearingTest.looked(1, 1, false))),
            RELEASE,
            "NodeUnpublishVolume was answered, and 2 mounts are still there;"
                + " unmount it by hand: umount -c '/top/v/it'\\''s'"),
        row(
            "a dead mount that the plugin leaves, and that is not unmounted without it",
            fromUsedBy(A)
                .dead(TARGET)
                .policy(ONCE.toBuilder().unmountDead(DeadUnmount.NEVER).build())
                .always("UNPUBLISH", nothingDone()),
            RELEASE,
            "NodeUnpublishVolume was answered, and 1 mount is still there; its"
                + " server has ended, so unmount it by hand: umount -c -l '/top/v/x'"),
        row(
            "a mount that came meanwhile and is not ours: no command unmounts it",
            fromUsedBy(A)
                .policy(ONCE)
                .always("UNPUBLISH", nothingDone())
                .at("look", 2, foreignTarget()),
            RELEASE,
            "NodeUnpublishVolume was answered, and 1 mount is still there"),
        row(
            "a mount that the plugin forgot",
            fromUsedBy(A).always("UNPUBLISH", fails(StatusCode.NOT_FOUND)),
            RELEASE,
            "it is still mounted, and "
                + notKnown
                + "; unmount it by hand: umount -c -l '/top/v/x'"),
        row(
            "a mount that the plugin forgot and that is gone",
            fromUsedBy(A, B).unmount(TARGET).always("UNPUBLISH", fails(StatusCode.NOT_FOUND)),
            RELEASE,
            "a: " + notKnown),
        row(
            "a mount that is forced after one refusal",
            fromUsedBy(A, B).policy(forcing(1)).always("UNPUBLISH", fails(StatusCode.NOT_FOUND)),
            RELEASE,
            "a: the plugin has answered 1 time that it does not know the volume"),
        row(
            "a mount that is forced after two refusals, while it is used",
            fromUsedBy(A, B)
                .policy(forcing(2))
                .always("UNPUBLISH", fails(StatusCode.NOT_FOUND))
                .unmountedLazily(),
            RELEASE,
            "a: the plugin has answered 2 times that it does not know the volume",
            "a: a process was still using the mount"),
        row(
            "a mount that is forced after two answers of OK that changed nothing",
            fromUsedBy(A, B).policy(forcing(2)).always("UNPUBLISH", nothingDone()),
            RELEASE,
            "a: the plugin has answered 2 times OK without unmounting it"),
        row(
            "a mount that is not ours is not forced",
            fromUsedBy(A)
                .policy(forcing(1))
                .always("UNPUBLISH", fails(StatusCode.NOT_FOUND))
                .at("look", 2, foreignTarget()),
            RELEASE,
            "the mount is not the one that the plugin made: tmpfs from none"),
        row(
            "a dead mount that is swept",
            fromUsedBy(A, B).dead(TARGET).always("UNPUBLISH", nothingDone()),
            RELEASE,
            "a: its server has ended, and the plugin did not unmount it although it was asked to"),
        row(
            "a dead mount that is swept while files are open in it",
            fromUsedBy(A, B).dead(TARGET).always("UNPUBLISH", nothingDone()).unmountedLazily(),
            RELEASE,
            "a: its server has ended, and the plugin did not unmount it although it was asked to;"
                + " processes with open files in it get errors"),
        row(
            "a use that the plugin goes on refusing to release",
            fromUsedBy(A, B)
                .unmount(TARGET)
                .refusedForLong(A)
                .always("UNPUBLISH", fails(StatusCode.UNKNOWN)),
            RELEASE,
            "a: nothing is mounted, and it was refused at least 5 times over at least"
                + " 2 minutes: NodeUnpublishVolume ended with UNKNOWN: so it is"),
        row(
            "a use that a person gives up",
            going().unmount(TARGET),
            new Goal.Abandon(A, "its node was sold"),
            "a: the reason given is: its node was sold"),
        row(
            "a use that is mounted and that a person gives up",
            going(),
            new Goal.Abandon(A, "its node was sold"),
            "it is still mounted; first unmount it with: umount -c -l '/top/v/x'"),
        row(
            "a device that a person gives up",
            going().at("look", 1, ClearingTest.looked(1, 0, true)),
            new Goal.Abandon(A, "its node was sold"),
            "its device node still exists"),
        row(
            "a mount that fails and cannot be undone",
            fromNothing()
                .policy(ONCE)
                .always("PUBLISH", fails(StatusCode.OUT_OF_RANGE))
                .always("UNPUBLISH", fails(StatusCode.INTERNAL)),
            publish(A),
            "NodePublishVolume ended with OUT_OF_RANGE: so it is",
            "undoing: NodeUnpublishVolume ended with INTERNAL: so it is"),
        row(
            "a step that breaks",
            fromNothing().breaks("STAGE", new IllegalStateException("secret")),
            publish(A),
            "the step STAGE ended with IllegalStateException"),
        row(
            "a step that finds the mount table unreadable",
            fromUsedBy(A)
                .breaks("look", mountException(MountException.Reason.NO_MOUNT_TABLE, null)),
            RELEASE,
            "so it is"),
        row(
            "a step whose path leads into another mount",
            fromUsedBy(A)
                .breaks(
                    "look",
                    new BrokenStep.CoveredException(
                        Failure.of(OperatorCode.FOREIGN_MOUNT, "tmpfs lies over it"))),
            RELEASE,
            "tmpfs lies over it"),
        row(
            "a mount that cannot be unmounted without the plugin",
            unforced(mountException(MountException.Reason.NOT_PERMITTED, null)),
            RELEASE,
            "it could not be unmounted without the plugin: so it is; unmount it by"
                + " hand: umount -c -l '/top/v/x'"),
        row(
            "a mount that is in use",
            unforced(mountException(MountException.Reason.BUSY, null)),
            RELEASE,
            "it could not be unmounted without the plugin: it is in use; unmount"
                + " it by hand: umount -c -l '/top/v/x'"),
        row(
            "a mount that a process uses",
            unforced(
                mountException(
                    MountException.Reason.BUSY,
                    new Holders(
                        List.of(
                            new Holder.RunningProcess(
                                7, KernelText.of("sh"), Set.of(Holder.Use.OPEN_FILE))),
                        0,
                        true))),
            RELEASE,
            "it could not be unmounted without the plugin: it is in use by: [process 7 (sh: ["
                + Holder.Use.OPEN_FILE
                + "])]; unmount it by hand: umount -c -l '/top/v/x'"),
        row(
            "a mount that is in use, nobody knows by whom",
            unforced(mountException(MountException.Reason.BUSY, new Holders(List.of(), 2, true))),
            RELEASE,
            "it could not be unmounted without the plugin: it is in use; unmount"
                + " it by hand: umount -c -l '/top/v/x'"),
        row(
            "a force that breaks otherwise",
            unforced(new IllegalStateException("out of luck")),
            RELEASE,
            "it could not be unmounted without the plugin: out of luck"));
  }

  private static Walk going() {
    Walk walk = fromUsedBy(A);
    return walk.from(
        walk.record().withTarget(new TargetRecord(A, false, PathRecord.NONE.as(PathStatus.GOING))));
  }

  private static Walk unforced(Throwable cause) {
    return fromUsedBy(A).dead(TARGET).always("UNPUBLISH", nothingDone()).breaks("force", cause);
  }

  private static MountException mountException(
      MountException.Reason reason, @Nullable Holders holders) {
    MountException.Builder builder =
        MountException.builder(reason, "so it is").target(MountPath.of("/top/v/x"));
    return holders == null ? builder.build() : builder.holders(holders).build();
  }

  private static Event foreignTarget() {
    return fromUsedBy(A).foreign(TARGET).lookedAt(TARGET);
  }

  private static Event twice(Event looked) {
    Event.Looked one = (Event.Looked) looked;
    return new Event.Looked(
        one.staging(), List.of(one.target().get(0), one.target().get(0)), false, true);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("told")
  void itIsToldWhatWasSeenAndWhatToType(String name, Walk walk, Goal goal, List<String> words) {
    assertThat(walk.words(goal)).as(name).isEqualTo(words);
  }

  static Stream<Arguments> broken() {
    return Stream.of(
        row(
            "a mount that is in use",
            unforced(mountException(MountException.Reason.BUSY, null)),
            RELEASE,
            "unfinished TARGET_BUSY"),
        row(
            "a mount that cannot be unmounted without the plugin",
            unforced(mountException(MountException.Reason.NOT_PERMITTED, null)),
            RELEASE,
            "held CLEANUP_NEEDS_HELP"),
        row(
            "a force that breaks otherwise",
            unforced(new IllegalStateException("out of luck")),
            RELEASE,
            "held CLEANUP_NEEDS_HELP"),
        row(
            "a mount table that cannot be read at first",
            fromNothing()
                .breaks("look", mountException(MountException.Reason.NO_MOUNT_TABLE, null)),
            publish(A),
            "refused MOUNT_TABLE_UNREADABLE"),
        row(
            "a step whose path leads into another mount",
            fromUsedBy(A)
                .breaks(
                    "remove use",
                    new BrokenStep.CoveredException(
                        Failure.of(OperatorCode.FOREIGN_MOUNT, "tmpfs lies over it"))),
            RELEASE,
            "held FOREIGN_MOUNT"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("broken")
  void aStepThatBreaksEndsWithItsCode(String name, Walk walk, Goal goal, List<String> end) {
    List<String> steps = walk.to(goal);

    assertThat(steps.get(steps.size() - 1)).as(name).isEqualTo(end.get(0));
  }
}
