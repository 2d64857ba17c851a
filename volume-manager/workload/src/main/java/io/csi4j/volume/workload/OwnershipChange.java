package io.csi4j.volume.workload;

import io.csi4j.client.model.MountOptions;
import io.csi4j.mount.Mounts;
import io.csi4j.mount.model.FileOwnership;
import io.csi4j.mount.model.FileOwnership.Policy;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.OwnershipResult;
import io.csi4j.mount.model.OwnershipResult.Outcome;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.internal.time.Turns;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.MountedVolume;
import io.csi4j.volume.node.VolumeMounter;
import io.csi4j.volume.workload.WorkloadVolumes.RequestedVolume;
import java.util.Collection;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Changes the owner or group of the files in mounted volumes, as the requests for the volumes
 * specify.
 *
 * @param mounter the mounter of the volumes, which lists the other workloads that use a volume
 * @param mounts supplies the interface to the kernel that changes the files
 * @param progress receives the progress of each change
 */
record OwnershipChange(
    VolumeMounter mounter,
    Supplier<Mounts> mounts,
    BiConsumer<VolumeUse, OwnershipResult> progress) {

  private static final OwnershipTurns TURNS = new OwnershipTurns();

  /** Registers a request that specifies an owner or group, before it waits for its turn. */
  void announce(RequestedVolume volume) {
    if (volume.request().ownership().isPresent()) {
      volume.mountRequest().ifPresent(it -> TURNS.announce(place(it), it.usage().workload()));
    }
  }

  /** Unregisters a request. Has no effect if the change was already made. */
  void withdraw(RequestedVolume volume) {
    volume.mountRequest().ifPresent(it -> TURNS.withdraw(place(it), it.usage().workload()));
  }

  private OwnershipTurns.Place place(MountRequest request) {
    return new OwnershipTurns.Place(
        mounter, new VolumeIdentity(request.plugin(), request.handle()));
  }

  /**
   * Changes the files of the volume that was mounted for a request, if the request specifies an
   * owner or group.
   */
  void make(RequestedVolume volume, Collection<MountedVolume> mounted) {
    MountRequest request = volume.mountRequest().orElse(null);
    FileOwnership wish = volume.request().ownership().orElse(null);
    if (request == null || wish == null) {
      return;
    }
    mounted.stream()
        .filter(each -> each.usage().equals(request.usage()))
        .findFirst()
        .filter(there -> !isThePluginsPart(request, there))
        .ifPresent(there -> make(request, wish, there));
  }

  /**
   * Returns the group that the plugin can set while it mounts the volume, so that csi4j need not
   * change the files. This is possible only for an ownership like {@link FileOwnership#ofGroup},
   * because plugins give the group read and write access. The limits of a change are ignored.
   * Requests with another policy, such as a change at each mount, are always carried out by csi4j.
   */
  static Optional<String> group(FileOwnership wish) {
    if (wish.group().isEmpty()) {
      return Optional.empty();
    }
    long group = wish.group().getAsLong();
    FileOwnership same =
        FileOwnership.ofGroup(group).toBuilder()
            .maxFiles(wish.maxFiles())
            .maxTime(wish.maxTime())
            .build();
    return wish.equals(same) ? Optional.of(Long.toString(group)) : Optional.empty();
  }

  private static boolean isMountedForGroup(MountedVolume there) {
    return there instanceof MountedVolume.Filesystem files && files.volumeMountGroup().isPresent();
  }

  private static boolean isThePluginsPart(MountRequest request, MountedVolume there) {
    Optional<String> stated =
        request.capability().mountOptions().flatMap(MountOptions::volumeMountGroup);
    return stated.isPresent()
        || (there instanceof MountedVolume.Filesystem filesystem
            && request.groupIfOffered().isPresent()
            && request.groupIfOffered().equals(filesystem.volumeMountGroup()));
  }

  private void make(MountRequest request, FileOwnership wish, MountedVolume there) {
    OwnershipResult end;
    try {
      end = inTurn(request, wish, there);
    } catch (MountException failed) {
      String why = String.valueOf(failed.getMessage());
      throw switch (failed.reason()) {
        case INTERRUPTED, DEADLINE -> notWaitedFor(request, wish, why, failed);
        default -> notSet(request, wish, why, failed);
      };
    }
    progress.accept(request.usage(), end);
    if (end.outcome() == Outcome.LIMIT) {
      throw notSet(
          request,
          wish,
          "the limit of "
              + wish.maxFiles()
              + " changed files or "
              + wish.maxTime().toSeconds()
              + " s was reached after "
              + end.seen()
              + " files, of which "
              + end.changed()
              + " were changed",
          null);
    }
  }

  private OwnershipResult inTurn(MountRequest request, FileOwnership wish, MountedVolume there) {
    MountPath path = MountPath.of(there.path());
    OwnershipTurns.Place place = place(request);
    Turns.Turn turn;
    try {
      turn = TURNS.take(place);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw notWaitedFor(
          request,
          wish,
          "this thread was interrupted while it waited for another workload's change of owners",
          e);
    }
    try {
      refuseIfOthersUseIt(request, wish, path, isMountedForGroup(there));
      return mounts.get().setOwnership(path, wish, how -> progress.accept(request.usage(), how));
    } finally {
      // From now on, the workload counts as a user of the files when another workload wants to
      // change them.
      TURNS.withdraw(place, request.usage().workload());
      turn.end();
    }
  }

  /**
   * Fails if other workloads use the volume, unless the root directory of the volume shows that no
   * file needs to be changed.
   */
  private void refuseIfOthersUseIt(
      MountRequest request, FileOwnership wish, MountPath path, boolean isMountedForGroup) {
    OwnershipTurns.Place place = place(request);
    String others =
        mounter.volumes().stream()
            .filter(each -> place.volume().equals(new VolumeIdentity(each.plugin(), each.handle())))
            .flatMap(each -> each.uses().stream())
            .map(use -> use.key().workload())
            .filter(each -> !each.equals(request.usage().workload()))
            // A workload that waits for its turn is not a user yet, because it will change the
            // files itself before it uses them. This is not true if the plugin has set the group.
            .filter(each -> isMountedForGroup || !TURNS.isWaiting(place, each))
            .distinct()
            .map(PreflightFindings::quoted)
            .collect(Collectors.joining(", "));
    if (others.isEmpty() || wish.policy() == Policy.NEVER) {
      return;
    }
    FileOwnership look = wish.toBuilder().policy(Policy.NEVER).build();
    boolean isRight =
        wish.policy() == Policy.ON_ROOT_MISMATCH
            && mounts.get().setOwnership(path, look, how -> {}).outcome() == Outcome.THERE_ALREADY;
    if (!isRight) {
      throw new VolumeException(
          VolumeException.Outcome.REFUSED,
          Messages.of(
              OperatorCode.OWNERSHIP_REFUSED, subject(request, wish), others + " uses it, too"),
          null,
          null);
    }
  }

  private static VolumeException notSet(
      MountRequest request, FileOwnership wish, String why, @Nullable MountException cause) {
    return new VolumeException(
        VolumeException.Outcome.REFUSED,
        Messages.of(OperatorCode.OWNERSHIP_NOT_SET, subject(request, wish), why),
        null,
        cause);
  }

  /**
   * Returns the exception for a caller that stopped waiting. The change may still be running, so
   * the volume stays mounted.
   */
  private static VolumeException notWaitedFor(
      MountRequest request, FileOwnership wish, String why, Throwable cause) {
    return new VolumeException(
        VolumeException.Outcome.IN_PROGRESS,
        Messages.of(
            OperatorCode.OWNERSHIP_NOT_SET,
            subject(request, wish),
            why,
            new OperatorMessage.Part(
                "Mount again to continue with the files, or unmount the " + "volume")),
        null,
        cause);
  }

  private static Subject subject(MountRequest request, FileOwnership wish) {
    return Subject.of(
            "giving to " + wish + " the files of",
            new VolumeIdentity(request.plugin(), request.handle()))
        .by(request.usage());
  }
}
