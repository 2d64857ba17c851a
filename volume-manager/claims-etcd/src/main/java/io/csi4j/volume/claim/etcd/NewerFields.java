package io.csi4j.volume.claim.etcd;

import io.csi4j.volume.claim.spi.ClaimVersion;
import io.csi4j.volume.internal.fields.UnknownFields;
import io.csi4j.volume.model.VolumeKey;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The fields that newer versions of csi4j wrote with claims; they are kept when a claim is written
 * here.
 */
final class NewerFields {

  private record Seen(ClaimVersion version, UnknownFields fields) {}

  private final ConcurrentMap<VolumeKey, Seen> seen = new ConcurrentHashMap<>();

  /** Takes in what stands beside the claim in this version. */
  void saw(VolumeKey volume, ClaimVersion version, UnknownFields fields) {
    seen.compute(
        volume,
        (key, before) ->
            before != null && before.version().compareTo(version) > 0
                ? before
                : fields.equals(UnknownFields.NONE) ? null : new Seen(version, fields));
  }

  /** Returns the fields to write with the claim that follows on this version. */
  UnknownFields beside(VolumeKey volume, ClaimVersion version) {
    Seen known = seen.get(volume);
    return known != null && known.version().equals(version) ? known.fields() : UnknownFields.NONE;
  }
}
