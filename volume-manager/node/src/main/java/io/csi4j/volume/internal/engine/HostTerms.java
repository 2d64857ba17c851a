package io.csi4j.volume.internal.engine;

import io.csi4j.client.model.MountFlags;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.MountFlagPolicy;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumePermission;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.NodeClaims;
import java.util.List;
import java.util.Optional;

/**
 * The host's rules for a mount: which workload may use which volume, which node the claims must
 * name, and which mount flags are allowed.
 *
 * @param permission decides which workload may use which volume
 * @param node the name of this node in claims; empty if the manager checks no claims
 * @param flags decides which flags a request may set, and which flags are added to every mount
 */
record HostTerms(VolumePermission permission, Optional<NodeName> node, MountFlagPolicy flags) {

  /**
   * A refusal of a request.
   *
   * @param code the code for an operator
   * @param seen the reason
   */
  record Refusal(OperatorCode code, String seen) {}

  static HostTerms of(EngineParts parts) {
    return new HostTerms(
        parts.settings().permission(),
        parts.claims().terms().map(NodeClaims::node),
        parts.settings().mountFlags());
  }

  /** Returns why the rules refuse a request; empty if they allow it. */
  Optional<Refusal> refusal(MountRequest request) {
    VolumeIdentity volume = new VolumeIdentity(request.plugin(), request.handle());
    VolumePermission.Request wish =
        new VolumePermission.Request(request.usage(), Optional.of(volume), request.readOnly());
    if (!wish.isPermittedBy(permission)) {
      return Optional.of(new Refusal(OperatorCode.VOLUME_NOT_PERMITTED, ""));
    }
    Optional<NodeName> claimedFor =
        request.claim().map(ClaimGrant::node).filter(it -> !it.equals(node.orElse(it)));
    if (claimedFor.isPresent()) {
      return Optional.of(
          new Refusal(
              OperatorCode.CLAIM_MISSING,
              "it was claimed for node '"
                  + claimedFor.get()
                  + "', and this is node '"
                  + node.orElseThrow()
                  + "'"));
    }
    MountFlags asked = flagsOf(request.capability());
    return flags
        .refusal(asked)
        .map(why -> new Refusal(OperatorCode.MOUNT_FLAG_REFUSED, why.text()))
        .or(() -> claimedWithout(request, asked));
  }

  /**
   * Refuses a claimed request that lacks a required flag. The flag cannot be added here, because
   * the claim states how the volume is mounted.
   */
  private Optional<Refusal> claimedWithout(MountRequest request, MountFlags asked) {
    List<String> missing =
        request
                .claim()
                .flatMap(ClaimGrant::capability)
                .filter(claimed -> !claimed.isBlock())
                .isPresent()
            ? flags.missing(asked)
            : List.of();
    return missing.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new Refusal(
                OperatorCode.MOUNT_FLAG_REFUSED,
                "it was claimed without "
                    + String.join(", ", missing)
                    + ", which every mount gets here; the claim must have these options too"));
  }

  /** Returns the request with the flags that the policy adds to every mount. */
  MountRequest applied(MountRequest request) {
    VolumeCapability capability = request.capability();
    if (capability.isBlock() || flags.missing(flagsOf(capability)).isEmpty()) {
      return request;
    }
    MountOptions options = capability.mountOptions().orElseGet(MountOptions::none);
    return request.toBuilder().requestOptions(flags.applied(options)).build();
  }

  private static MountFlags flagsOf(VolumeCapability capability) {
    return capability
        .mountOptions()
        .flatMap(MountOptions::flags)
        .orElseGet(() -> MountFlags.of(List.of()));
  }
}
