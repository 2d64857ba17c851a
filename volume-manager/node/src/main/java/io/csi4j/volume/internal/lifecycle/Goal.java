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

  /** The use that it is about, if it is about one. */
  Optional<VolumeUse> use();

  /** The first step towards it. */
  Turn begin(VolumeRecord record);

  /**
   * Returns the next goal of the background cleanup of a volume.
   *
   * @param mayGo the uses that may be taken away now
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
   * That it appears for a workload.
   *
   * @param request the request of the workload
   * @param plan how it is used, of what is kept on record
   * @param keeps whether the use stays though its mount fails, as its workload is running
   */
  record Publish(MountRequest request, Plan plan, boolean keeps) implements Goal {

    /**
     * Returns the goal of a request.
     *
     * @param known the volume, if it is on record
     * @param up what the plugin can do
     * @param takesLabel whether the plugin takes a label of SELinux
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
     * Whether a volume is staged is decided at its first use, and kept until the last; an inline
     * volume never is.
     */
    private static boolean isStaged(
        MountRequest request, Optional<VolumeRecord> known, PluginAnswer.Up up) {
      return known
          .filter(record -> !record.targets().isEmpty() && record.plan().isKnown())
          .map(record -> record.plan().staged())
          .orElse(up.stages() && !request.isInline());
    }

    /**
     * The label of SELinux that the plugin is given for a request; empty if it is given none.
     * Whether it is given one is decided at the first use of the volume, and kept until the last.
     *
     * @param isTaken whether the plugin takes one
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
     * The group for which the plugin mounts the volume of a request; empty if it is given none.
     * Whether it is given one is decided at the first use of the volume, and kept until the last.
     *
     * @param isTaken whether the plugin takes one
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
      // A claim says how the volume is mounted, and the controller was told the same.
      return isTaken && request.claim().flatMap(ClaimGrant::capability).isEmpty() ? own : "";
    }

    /**
     * The access mode of a request; the one in its place, while the volume is in use under that.
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

    /** The use that it appears for. */
    public VolumeUse usage() {
      return request.usage();
    }

    /** Whether the workload may only read. */
    public boolean readOnly() {
      return request.readOnly();
    }

    /** Whether the workload has to be able to write. */
    boolean writable() {
      return !readOnly()
          && request.capability().accessMode().isWritable()
          && !limits().contains("ro");
    }

    /** Returns the limits of its mount flags, as the mount table shows them. */
    Set<String> limits() {
      return request
          .capability()
          .mountOptions()
          .flatMap(MountOptions::flags)
          .map(Digests::limits)
          .orElse(Set.of());
    }

    /** Returns the digest of the volume's context that its plugin gets. */
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

    /** Returns this goal for a workload that is running. */
    public Publish keeping() {
      return new Publish(request, plan, true);
    }
  }

  /**
   * That a use which is published is published again, with contexts and secrets that are given now.
   *
   * @param wanted how it is wanted; all but the contexts as it is published
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
   * That what is mounted goes, and who uses it stays on record: a target, or the staging of a
   * volume none of whose targets is there.
   *
   * @param usage whose target, or else the staging
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
   * That a use is given up, and the volume with the last.
   *
   * @param usage which use
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
   * That nothing more is owed for a use whose release does not end, or for the staging that is left
   * of it: a person has decided so.
   *
   * @param usage which use
   * @param reason why, in the words of the person
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

  /** That a volume without uses goes. */
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
