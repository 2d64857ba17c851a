package io.csi4j.volume.workload;

import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.MountRequest;
import java.util.Objects;
import java.util.Optional;

/**
 * A volume as a workload asks for it, with what the host found.
 *
 * @param workload the workload
 * @param request what is asked
 * @param source which volume, for this instance of the workload
 * @param found what the host knows of it; nothing if it knows no such volume
 * @since 1.0
 */
public record RequestedVolume(
    WorkloadId workload, VolumeRequest request, String source, Optional<ResolvedVolume> found) {

  /** Checks that all parts are there. */
  public RequestedVolume {
    Objects.requireNonNull(workload, "workload");
    Objects.requireNonNull(request, "request");
    Objects.requireNonNull(source, "source");
    Objects.requireNonNull(found, "found");
  }

  /** The name by which tasks refer to it. */
  public VolumeAlias alias() {
    return request.alias();
  }

  /** The use of the volume by the workload, if the volume is known. */
  public Optional<VolumeUse> usage() {
    return found.map(volume -> VolumeUse.of(volume.key(), workload));
  }

  /** The volume, if it is known and a plugin's. */
  public Optional<ResolvedVolume.Csi> csi() {
    return found.filter(ResolvedVolume.Csi.class::isInstance).map(ResolvedVolume.Csi.class::cast);
  }

  /** Returns the volume, claimed by its workload. */
  RequestedVolume claimed(ClaimGrant grant) {
    RequestedVolume claimed =
        new RequestedVolume(workload, request, source, csi().map(volume -> volume.claimed(grant)));
    Optional<MountOptions> options = grant.capability().flatMap(VolumeCapability::mountOptions);
    Optional<MountOptions> wanted =
        claimed.mountRequest().flatMap(it -> it.capability().mountOptions());
    if (options.isPresent() && wanted.isPresent() && !options.equals(wanted)) {
      throw new IllegalArgumentException(
          "The workload '"
              + workload
              + "' asks for volume '"
              + grant.usage().volume()
              + "' with other mount options than it was claimed with. Claim it with those of its"
              + " mount request.");
    }
    return claimed;
  }

  /** The directory, if it is known and the host's. */
  public Optional<ResolvedVolume.Host> host() {
    return found.filter(ResolvedVolume.Host.class::isInstance).map(ResolvedVolume.Host.class::cast);
  }

  /**
   * Returns the request for the volume manager; nothing if it has nothing to do with this volume.
   */
  public Optional<MountRequest> mountRequest() {
    return csi().map(volume -> request.toMountRequest(volume, workload));
  }
}
