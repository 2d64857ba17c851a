package io.csi4j.volume.internal.engine;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.MountOptions;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.engine.Operation.Wish;
import io.csi4j.volume.internal.layout.VolumeLayout;
import io.csi4j.volume.internal.lifecycle.Goal;
import io.csi4j.volume.internal.lifecycle.Rule;
import io.csi4j.volume.internal.lifecycle.Rules;
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
 * What is asked of a plugin about one volume, and what is wanted of the volume.
 *
 * @param identity which volume
 * @param layout where it is
 * @param rules which rules are on
 */
record Requests(VolumeIdentity identity, VolumeLayout layout, Rules rules) {

  /**
   * What a mount wants.
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

  /** What the same request wants of a volume that is in use. */
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

  /** What making anew the mount of a running workload wants. */
  Goal.Publish repair(MountRequest request, VolumeRecord known) {
    return goal(request, known).keeping();
  }

  /** The call of a step. */
  NodeCall call(Operation operation, Turn at, Step.Call call) {
    return switch (call.verb()) {
      case STAGE -> new NodeCall.Stage(identity.handle(), staging(at), parcel(operation, at));
      case PUBLISH -> publish(operation, at, call.usage().orElseThrow());
      case UNPUBLISH ->
          new NodeCall.Unpublish(
              identity.handle(), layout.target(identity, call.usage().orElseThrow()));
      case UNSTAGE -> new NodeCall.Unstage(identity.handle(), staging(at));
    };
  }

  private NodeCall publish(Operation operation, Turn at, UsageKey usage) {
    Goal.Publish goal = (Goal.Publish) at.goal();
    return new NodeCall.Publish(
        identity.handle(),
        goal.plan().staged() ? Optional.of(staging(at)) : Optional.empty(),
        layout.target(identity, usage),
        goal.readOnly(),
        parcel(operation, at));
  }

  private static NodeCall.Parcel parcel(Operation operation, Turn at) {
    MountRequest request =
        operation.wish() instanceof Wish.Repair repair
            ? Objects.requireNonNull(
                repair.requests().get(((Goal.Publish) at.goal()).usage()), "request")
            : ((Wish.Mount) operation.wish()).request();
    return new NodeCall.Parcel(
        request.capability().withAccessMode(((Goal.Publish) at.goal()).plan().mode()),
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

  /** The staging path: one for a volume, whatever its uses ask for. */
  private MountPath staging(Turn at) {
    boolean isOfItsOwn =
        !rules.on(Rule.ONE_STAGING_PATH)
            && at.goal() instanceof Goal.Publish publish
            && publish.readOnly();
    return isOfItsOwn ? layout.uses(identity) : layout.staging(identity);
  }
}
