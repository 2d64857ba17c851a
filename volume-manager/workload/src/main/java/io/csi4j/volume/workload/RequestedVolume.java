package io.csi4j.volume.workload;

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

  /**
   * Returns the volume, claimed by its workload.
   *
   * @throws IllegalArgumentException if it was claimed in another way than is requested
   */
  RequestedVolume claimed(ClaimGrant grant) {
    Optional<ResolvedVolume> volume = csi().map(it -> it.claimed(grant));
    RequestedVolume claimed = new RequestedVolume(workload, request, source, volume);
    return claimed.mountRequest().map(comparedWithItsClaim -> claimed).orElseThrow();
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
