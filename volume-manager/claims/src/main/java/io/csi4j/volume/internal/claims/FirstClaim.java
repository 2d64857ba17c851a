package io.csi4j.volume.internal.claims;

import io.csi4j.client.model.MountFlags;
import io.csi4j.client.model.MountOptions;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.SelinuxLabel;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Determines the mount options that the first claim on a node decides: whether the volume is
 * mounted with an SELinux label, and whether it is mounted for a group. All later claims on the
 * node use the same options until the last claim ends. The options of a volume in use do not change
 * even if its plugin starts or stops supporting them, because the node would not mount the volume
 * again either.
 */
final class FirstClaim {

  private FirstClaim() {}

  /**
   * Returns the mount options for a request, adjusted to the existing claims on the node.
   *
   * @param options the complete options that the request would have as the first claim on the node
   */
  static Optional<MountOptions> options(
      Claim claim, ClaimRequest request, Optional<MountOptions> options) {
    if (request.use().attachment() == AttachmentMode.BLOCK) {
      return options;
    }
    return there(claim, request)
        .flatMap(
            there -> options.map(asked -> grouped(labelled(asked, there, request), there, request)))
        .or(() -> options);
  }

  /**
   * Returns the mount options of an existing claim on the node. An existing claim of the same
   * workload takes precedence.
   */
  private static Optional<MountOptions> there(Claim claim, ClaimRequest request) {
    Stream<ClaimHolder> others =
        claim.others(request.usage().workload()).stream()
            .filter(each -> each.node().equals(request.node()))
            .filter(each -> !each.state().isAfter(ClaimHolder.State.UNPUBLISHING));
    return Stream.concat(claim.holder(request.usage().workload()).stream(), others)
        .flatMap(each -> each.options().stream())
        .findFirst();
  }

  private static MountOptions labelled(
      MountOptions asked, MountOptions there, ClaimRequest request) {
    Optional<SelinuxLabel> stated = label(asked);
    Optional<SelinuxLabel> wish = request.selinuxLabel();
    if (wish.isEmpty() || (stated.isPresent() && !stated.equals(wish))) {
      return asked;
    }
    if (label(there).isPresent()) {
      return wish.get().addedTo(asked);
    }
    return new MountOptions(asked.fsType(), withoutLabel(asked, there), asked.volumeMountGroup());
  }

  /**
   * Returns the requested flags without the label. If the label was the only flag, the request does
   * not show whether the other flags were empty or not set. The flags of the existing claim decide
   * this.
   */
  private static Optional<MountFlags> withoutLabel(MountOptions asked, MountOptions there) {
    Optional<MountFlags> others = asked.flags().map(SelinuxLabel::without);
    boolean hadLabelAlone =
        label(asked).isPresent() && others.filter(MountFlags::isEmpty).isPresent();
    return hadLabelAlone ? there.flags().filter(MountFlags::isEmpty) : others;
  }

  private static MountOptions grouped(
      MountOptions asked, MountOptions there, ClaimRequest request) {
    Optional<String> stated = asked.volumeMountGroup();
    Optional<String> wish = request.groupIfOffered();
    if (wish.isEmpty() || (stated.isPresent() && !stated.equals(wish))) {
      return asked;
    }
    return new MountOptions(
        asked.fsType(),
        asked.flags(),
        there.volumeMountGroup().isPresent() ? wish : Optional.empty());
  }

  private static Optional<SelinuxLabel> label(MountOptions options) {
    return options.flags().flatMap(SelinuxLabel::in);
  }
}
