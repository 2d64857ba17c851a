package io.csi4j.volume.internal.lifecycle;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.MountOptions;
import io.csi4j.volume.internal.link.PluginAnswer;
import io.csi4j.volume.internal.record.Digests;
import io.csi4j.volume.internal.record.Plan;
import io.csi4j.volume.internal.record.TargetRecord;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.SelinuxLabel;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.PathStatus;
import io.csi4j.volume.node.UnmountOutcome;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;

/** The goal of an operation. */
public sealed interface Goal {

  /** Returns the use of the goal; empty for a volume without uses. */
  Optional<VolumeUse> use();

  /** Returns the operation, waiting for the result of its first step. */
  Turn begin(VolumeRecord record);

  /**
   * Returns the next goal of the background cleanup of a volume.
   *
   * @param mayGo returns whether a use may be released now
   */
  static Optional<Goal> owed(VolumeRecord record, Predicate<VolumeUse> mayGo) {
    for (TargetRecord target : record.targets().values()) {
      if (target.path().is(PathStatus.GOING) && mayGo.test(target.usage())) {
        return Optional.of(new Release(target.usage()));
      }
    }
    return record.targets().isEmpty() ? Optional.of(new Settle()) : Optional.empty();
  }

  /**
   * The goal to publish a volume for a workload.
   *
   * @param request the request of the workload
   * @param plan the parameters of the mount that the record keeps
   * @param keeps whether the use stays on record even if its mount fails, because the workload is
   *     already running
   */
  record Publish(MountRequest request, Plan plan, boolean keeps) implements Goal {

    /**
     * Returns the goal of a request.
     *
     * @param known the record of the volume, if it has one
     * @param up the capabilities of the plugin
     * @param takesLabel whether the plugin accepts an SELinux label
     */
    public static Publish of(
        MountRequest request,
        Optional<VolumeRecord> known,
        PluginAnswer.Up up,
        boolean takesLabel) {
      AccessMode mode = mode(request, known);
      return new Publish(
          request,
          Plan.of(
              request,
              isStaged(request, known, up),
              up.knowsWriters() ? mode : mode.withoutSingleNodeMultiWriter(),
              label(request, known, takesLabel),
              group(request, known, up.takesGroup())),
          false);
    }

    /** Returns the goal of a request for a volume that is in use. */
    public static Publish of(MountRequest request, VolumeRecord inUse) {
      Optional<VolumeRecord> known = Optional.of(inUse);
      return new Publish(
          request,
          Plan.of(
              request,
              inUse.plan().staged(),
              mode(request, known),
              label(request, known, false),
              group(request, known, false)),
          false);
    }

    /**
     * Returns whether the volume is staged. The first use of a volume decides this, and the
     * decision holds until the last use ends. An inline volume is never staged.
     */
    private static boolean isStaged(
        MountRequest request, Optional<VolumeRecord> known, PluginAnswer.Up up) {
      return known
          .filter(record -> !record.targets().isEmpty() && record.plan().isKnown())
          .map(record -> record.plan().staged())
          .orElse(up.stages() && !request.isInline());
    }

    /**
     * Returns the SELinux label that the plugin receives for a request; empty for no label. The
     * first use of a volume decides whether the plugin receives a label, and the decision holds
     * until the last use ends.
     *
     * @param isTaken whether the plugin accepts a label
     */
    public static String label(
        MountRequest request, Optional<VolumeRecord> known, boolean isTaken) {
      String stated = Plan.label(request.capability());
      if (!stated.isEmpty() || request.capability().isBlock()) {
        return stated;
      }
      String own = request.selinuxLabel().map(SelinuxLabel::value).orElse("");
      return atFirstUse(own, request, known, Plan::label, isTaken);
    }

    /**
     * Returns the group for which the plugin mounts the volume of a request; empty for no group.
     * The first use of a volume decides whether there is a group, and the decision holds until the
     * last use ends.
     *
     * @param isTaken whether the plugin accepts a group
     */
    public static String group(
        MountRequest request, Optional<VolumeRecord> known, boolean isTaken) {
      String stated = Plan.group(request.capability());
      if (!stated.isEmpty() || request.capability().isBlock()) {
        return stated;
      }
      String own = request.groupIfOffered().orElse("");
      return atFirstUse(own, request, known, Plan::group, isTaken);
    }

    private static String atFirstUse(
        String own,
        MountRequest request,
        Optional<VolumeRecord> known,
        Function<Plan, String> part,
        boolean isTaken) {
      Optional<Plan> inForce =
          known
              .filter(record -> !record.targets().isEmpty())
              .map(VolumeRecord::plan)
              .filter(Plan::isKnown);
      if (inForce.isPresent()) {
        String there = part.apply(inForce.get());
        return there.isEmpty() || own.isEmpty() ? there : own;
      }
      // If the claim states a capability, the label or group is not added: the controller received
      // exactly that capability.
      return isTaken && request.claim().flatMap(ClaimGrant::capability).isEmpty() ? own : "";
    }

    /**
     * Returns the access mode for a request. This is the requested mode, unless the volume is in
     * use with the older mode that replaces it.
     */
    public static AccessMode mode(MountRequest request, Optional<VolumeRecord> known) {
      AccessMode asked = request.capability().accessMode();
      AccessMode older = asked.withoutSingleNodeMultiWriter();
      return known
              .filter(record -> !record.targets().isEmpty() && record.plan().mode() == older)
              .isPresent()
          ? older
          : asked;
    }

    /** Returns the use. */
    public VolumeUse usage() {
      return request.usage();
    }

    /** Returns whether the workload may only read the volume. */
    public boolean readOnly() {
      return request.readOnly();
    }

    /** Returns whether the workload must be able to write to the volume. */
    boolean writable() {
      return !readOnly()
          && request.capability().accessMode().isWritable()
          && !limits().contains("ro");
    }

    /** Returns the requested mount flags that restrict the mount, as the mount table shows them. */
    Set<String> limits() {
      return request
          .capability()
          .mountOptions()
          .flatMap(MountOptions::flags)
          .map(Digests::limits)
          .orElse(Set.of());
    }

    /** Returns the digest of the volume context that the plugin receives. */
    String context() {
      return Digests.of(
          new VolumeIdentity(request.plugin(), request.handle()), request.volumeContext());
    }

    @Override
    public Optional<VolumeUse> use() {
      return Optional.of(usage());
    }

    @Override
    public Turn begin(VolumeRecord record) {
      return MountStory.begin(Turn.of(this, record));
    }

    /**
     * Returns this goal for a workload that is already running: the use stays on record even if its
     * mount fails.
     */
    public Publish keeping() {
      return new Publish(request, plan, true);
    }
  }

  /**
   * The goal to publish a use again with new contexts and secrets.
   *
   * @param wanted the wanted publication, which differs from the present publication only in the
   *     contexts and secrets
   */
  record Refresh(Publish wanted) implements Goal {
    @Override
    public Optional<VolumeUse> use() {
      return wanted.use();
    }

    @Override
    public Turn begin(VolumeRecord record) {
      return RefreshStory.begin(Turn.of(this, record));
    }
  }

  /**
   * The goal to remove a mount while its use stays on record. The mount is a target, or the staging
   * of a volume without mounted targets.
   *
   * @param usage the use of the target; empty for the staging
   */
  record Withdraw(Optional<VolumeUse> usage) implements Goal {
    @Override
    public Optional<VolumeUse> use() {
      return usage;
    }

    @Override
    public Turn begin(VolumeRecord record) {
      return ReleaseStory.look(Turn.of(this, record));
    }
  }

  /**
   * The goal to release a use, and to unstage the volume after its last use.
   *
   * @param usage the use
   */
  record Release(VolumeUse usage) implements Goal {
    @Override
    public Optional<VolumeUse> use() {
      return Optional.of(usage);
    }

    @Override
    public Turn begin(VolumeRecord record) {
      return ReleaseStory.begin(Turn.of(this, record), usage);
    }
  }

  /**
   * The goal to abandon a use whose release does not end, or the staging that such a use has left.
   * Only an operator requests this.
   *
   * @param usage the use
   * @param reason the reason that the operator gave
   */
  record Abandon(VolumeUse usage, String reason) implements Goal {
    @Override
    public Optional<VolumeUse> use() {
      return Optional.of(usage);
    }

    @Override
    public Turn begin(VolumeRecord record) {
      return ReleaseStory.look(Turn.of(this, record));
    }
  }

  /** The goal to remove a volume without uses. */
  record Settle() implements Goal {
    @Override
    public Optional<VolumeUse> use() {
      return Optional.empty();
    }

    @Override
    public Turn begin(VolumeRecord record) {
      Turn turn = Turn.of(this, record);
      return record.targets().isEmpty()
          ? ReleaseStory.look(turn)
          : turn.end(new Result.Released(UnmountOutcome.NOT_LAST));
    }
  }
}
