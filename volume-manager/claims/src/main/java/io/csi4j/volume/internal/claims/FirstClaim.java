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
 * Mount options that the first claim on a node decides, and that stay until the last claim ends:
 * whether the volume is mounted there with an SELinux label, and whether for a group. If a plugin
 * starts or stops supporting them, a volume in use does not change; the node would not change it
 * either.
 */
final class FirstClaim {

  private FirstClaim() {}

  /**
   * Returns the mount options for a request, in view of the existing claims.
   *
   * @param options the complete options that the first claim on the node would get
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
   * Returns how the volume is mounted on the node; the claim of the workload itself takes
   * precedence.
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
   * Returns the flags without the label. If there are none, the flags may have been left to the
   * plugin.
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
