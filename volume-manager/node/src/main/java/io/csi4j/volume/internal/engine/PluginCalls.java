package io.csi4j.volume.internal.engine;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.MountOptions;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.engine.Operation.Wish;
import io.csi4j.volume.internal.layout.VolumeLayout;
import io.csi4j.volume.internal.lifecycle.Goal;
import io.csi4j.volume.internal.lifecycle.Step;
import io.csi4j.volume.internal.lifecycle.Turn;
import io.csi4j.volume.internal.port.NodeCall;
import io.csi4j.volume.internal.record.ClaimMark;
import io.csi4j.volume.internal.record.Digests;
import io.csi4j.volume.internal.record.Plan;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.model.UsageKey;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.node.MountRequest;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * The calls to a plugin about one volume, and the goals of its requests.
 *
 * @param identity the volume
 * @param layout where it is
 */
record PluginCalls(VolumeIdentity identity, VolumeLayout layout) {

  /**
   * Returns the goal of a mount.
   *
   * @param mode the access mode under which the plugin is asked
   * @param known under which claim the use is on record; it stays so unless the request names one
   */
  Goal.Publish goal(MountRequest request, boolean stages, AccessMode mode, ClaimMark known) {
    return new Goal.Publish(
            identity,
            request.usage(),
            Plan.of(identity, stages, request.capability().withAccessMode(mode))
                .attachedBy(identity, request.publishContext()),
            request.readOnly(),
            Plan.mustBeWritable(request.capability(), request.readOnly()))
        .with(Digests.of(identity, request.volumeContext()))
        .limited(
            request
                .capability()
                .mountOptions()
                .flatMap(MountOptions::flags)
                .map(Digests::limits)
                .orElse(Set.of()))
        .under(request.claimEpoch().orElse(known.epoch()));
  }

  /** Returns the goal of the same request for a volume that is in use. */
  Goal.Publish goal(MountRequest request, VolumeRecord known) {
    return goal(
        request,
        known.plan().staged(),
        mode(request, Optional.of(known)),
        known.claim(request.usage()));
  }

  /** The access mode of a request; the one in its place, while the volume is in use under that. */
  static AccessMode mode(MountRequest request, Optional<VolumeRecord> known) {
    AccessMode asked = request.capability().accessMode();
    AccessMode older = asked.withoutSingleNodeMultiWriter();
    return known
            .filter(record -> !record.targets().isEmpty() && record.plan().mode() == older)
            .isPresent()
        ? older
        : asked;
  }

  /** Returns the goal of making the mount of a running workload again. */
  Goal.Publish repair(MountRequest request, VolumeRecord known) {
    return goal(request, known).keeping();
  }

  /** The call of a step. */
  NodeCall call(Operation operation, Turn at, Step.Call call) {
    return switch (call.verb()) {
      case STAGE -> new NodeCall.Stage(identity.handle(), staging(), parcel(operation, at));
      case PUBLISH -> publish(operation, at, call.usage().orElseThrow());
      case UNPUBLISH ->
          new NodeCall.Unpublish(
              identity.handle(), layout.target(identity, call.usage().orElseThrow()));
      case UNSTAGE -> new NodeCall.Unstage(identity.handle(), staging());
    };
  }

  private NodeCall publish(Operation operation, Turn at, UsageKey usage) {
    Goal.Publish goal = at.mount();
    return new NodeCall.Publish(
        identity.handle(),
        goal.plan().staged() ? Optional.of(staging()) : Optional.empty(),
        layout.target(identity, usage),
        goal.readOnly(),
        parcel(operation, at));
  }

  private static NodeCall.Parcel parcel(Operation operation, Turn at) {
    MountRequest request =
        operation.wish() instanceof Wish.Repair repair
            ? Objects.requireNonNull(repair.requests().get(at.mount().usage()), "request")
            : ((Wish.Mount) operation.wish()).request();
    return new NodeCall.Parcel(
        request.capability().withAccessMode(at.mount().plan().mode()),
        request.volumeContext(),
        request.publishContext(),
        request.secrets());
  }

  /** Expanding or statistics. */
  NodeCall read(Wish wish, UsageKey usage, VolumeRecord known) {
    MountPath target = layout.target(identity, usage);
    Optional<MountPath> staging =
        known.plan().staged() ? Optional.of(layout.staging(identity)) : Optional.empty();
    return wish instanceof Wish.Expand expand
        ? new NodeCall.Expand(
            identity.handle(),
            target,
            staging,
            Optional.empty(),
            expand.request().capacity(),
            expand.request().secrets())
        : new NodeCall.Stats(identity.handle(), target, staging);
  }

  /** The staging path: one for a volume, for all its uses. */
  private MountPath staging() {
    return layout.staging(identity);
  }
}
