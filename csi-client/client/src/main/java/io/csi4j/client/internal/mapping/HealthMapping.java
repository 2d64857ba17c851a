package io.csi4j.client.internal.mapping;

import com.google.protobuf.Message;
import io.csi4j.client.internal.proto.ControllerGetVolumeHealthRequest;
import io.csi4j.client.internal.proto.ControllerGetVolumeHealthResponse;
import io.csi4j.client.internal.proto.NodeGetStorageHealthRequest;
import io.csi4j.client.internal.proto.NodeGetStorageHealthResponse;
import io.csi4j.client.internal.proto.NodeGetStorageHealthResponse.StorageBackendHealth;
import io.csi4j.client.internal.proto.NodeGetVolumeHealthRequest;
import io.csi4j.client.internal.proto.NodeGetVolumeHealthResponse;
import io.csi4j.client.internal.proto.VolumeHealth;
import io.csi4j.client.internal.proto.VolumeHealth.VolumeHealthEntry;
import io.csi4j.client.model.HealthReason;
import io.csi4j.client.model.StorageHealthEntry;
import io.csi4j.client.model.Violation.Rule;
import io.csi4j.client.model.VolumeHealthReport;
import io.csi4j.client.model.VolumeId;
import io.csi4j.client.node.NodeService.StorageHealth;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntFunction;

/**
 * Checks and converts the health reported by controllers and nodes. An answer about another volume
 * is unusable. A malformed entry only causes a warning, because the reported problem may still be
 * real.
 */
public final class HealthMapping {

  /** Maximum number of health problems of one volume, or of one storage system, that are kept. */
  public static final int ENTRY_LIMIT = 64;

  private HealthMapping() {}

  public static VolumeHealthReport controllerGetVolumeHealth(
      ControllerGetVolumeHealthRequest request,
      ControllerGetVolumeHealthResponse response,
      AnswerFindings findings) {
    return asked(
        findings, request.getVolumeId(), response.hasVolumeHealth(), response.getVolumeHealth());
  }

  public static VolumeHealthReport nodeGetVolumeHealth(
      NodeGetVolumeHealthRequest request,
      NodeGetVolumeHealthResponse response,
      AnswerFindings findings) {
    return asked(
        findings, request.getVolumeId(), response.hasVolumeHealth(), response.getVolumeHealth());
  }

  private static VolumeHealthReport asked(
      AnswerFindings findings, String volumeId, boolean present, VolumeHealth health) {
    if (!present) {
      throw AnswerRules.absent(findings, "volume_health");
    }
    Optional<VolumeHealthReport> report = report(findings, "volume_health", health);
    if (report.isPresent()) {
      AnswerRules.same(findings, "volume_health.volume_id", volumeId, health.getVolumeId());
    }
    return findings.result(report::orElseThrow);
  }

  /** Returns the health of a volume, or empty if a violation was recorded. */
  static Optional<VolumeHealthReport> report(
      AnswerFindings findings, String field, VolumeHealth health) {
    if (!AnswerRules.id(findings, field + ".volume_id", health.getVolumeId())) {
      return Optional.empty();
    }
    List<io.csi4j.client.model.VolumeHealthEntry> entries =
        entries(
            findings,
            field + ".health_statuses",
            health.getHealthStatusesCount(),
            i -> {
              VolumeHealthEntry entry = health.getHealthStatuses(i);
              return new Entry<>(
                  entry.getStatusValue(),
                  entry.getReason(),
                  Optional.empty(),
                  io.csi4j.client.model.VolumeHealthEntry.of(
                      entry.getStatusValue(),
                      HealthReason.of(findings.scrub(entry.getReason())),
                      findings.scrub(entry.getMessage())));
            });
    return Optional.of(new VolumeHealthReport(VolumeId.of(health.getVolumeId()), entries));
  }

  public static StorageHealth nodeGetStorageHealth(
      NodeGetStorageHealthRequest request,
      NodeGetStorageHealthResponse response,
      AnswerFindings findings) {
    List<StorageHealthEntry> entries =
        entries(
            findings,
            "backend_health",
            response.getBackendHealthCount(),
            i -> {
              StorageBackendHealth entry = response.getBackendHealth(i);
              Optional<io.csi4j.client.internal.proto.VolumeCapability> capability =
                  entry.hasVolumeCapability()
                      ? Optional.of(entry.getVolumeCapability())
                      : Optional.empty();
              return new Entry<>(
                  entry.getStatusValue(),
                  entry.getReason(),
                  capability,
                  StorageHealthEntry.of(
                      entry.getStatusValue(),
                      HealthReason.of(findings.scrub(entry.getReason())),
                      findings.scrub(entry.getMessage()),
                      capability.map(ValueMapping::fromProto)));
            });
    return findings.result(() -> new NodeResults.StorageHealthValue(entries));
  }

  /**
   * A health problem: the fields that distinguish it from other problems, and the converted value.
   */
  private record Entry<E>(int status, String reason, Optional<? extends Message> only, E value) {
    List<Object> key() {
      return List.of(status, reason, only);
    }
  }

  /** Returns the first health problems, without duplicates. */
  private static <E> List<E> entries(
      AnswerFindings findings, String field, int count, IntFunction<Entry<E>> entries) {
    if (count > ENTRY_LIMIT) {
      findings.warning(
          field, Rule.TOO_LARGE, "has " + count + " entries; " + ENTRY_LIMIT + " are kept");
    }
    List<E> kept = new ArrayList<>();
    Set<List<Object>> known = new HashSet<>();
    for (int i = 0; i < Math.min(count, ENTRY_LIMIT); i++) {
      Entry<E> entry = entries.apply(i);
      String at = field + "[" + i + "]";
      if (entry.status() == 0) {
        findings.warning(at + ".status", Rule.REQUIRED, "is not set");
      }
      if (entry.reason().isEmpty()) {
        findings.warning(at + ".reason", Rule.REQUIRED, "is empty");
      }
      if (known.add(entry.key())) {
        kept.add(entry.value());
      } else {
        findings.warning(
            at,
            Rule.MISMATCH,
            "has the status "
                + entry.status()
                + " and the reason "
                + findings.quote(entry.reason())
                + " of an earlier entry; only the first is kept");
      }
    }
    return List.copyOf(kept);
  }
}
