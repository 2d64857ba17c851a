package io.csi4j.client.internal.mapping;

import io.csi4j.client.identity.IdentityService.PluginInfo;
import io.csi4j.client.identity.IdentityService.Readiness;
import io.csi4j.client.identity.PluginCapability;
import io.csi4j.client.internal.proto.GetPluginCapabilitiesRequest;
import io.csi4j.client.internal.proto.GetPluginCapabilitiesResponse;
import io.csi4j.client.internal.proto.GetPluginInfoRequest;
import io.csi4j.client.internal.proto.GetPluginInfoResponse;
import io.csi4j.client.internal.proto.ProbeRequest;
import io.csi4j.client.internal.proto.ProbeResponse;
import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.CapabilitySet;
import io.csi4j.client.model.PluginName;
import io.csi4j.client.model.Violation.Rule;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Checks and converts the answers of the identity service. Throws {@link UnusableAnswerException}
 * if the findings contain a violation.
 */
public final class IdentityAnswerMapping {

  /** Maximum number of entries of a manifest that are kept. */
  public static final int MANIFEST_LIMIT = 256;

  private static final int MAX_NAME = 63;

  private IdentityAnswerMapping() {}

  public static PluginInfo getPluginInfo(
      GetPluginInfoRequest request, GetPluginInfoResponse response, AnswerFindings findings) {
    String name = response.getName();
    PluginName.brokenRule(name)
        .ifPresent(
            rule ->
                findings.violation(
                    "name",
                    name.isEmpty()
                        ? Rule.REQUIRED
                        : name.length() > MAX_NAME ? Rule.TOO_LARGE : Rule.CHARACTERS,
                    "is " + findings.quote(name) + ", which is not a valid plugin name: " + rule));
    if (response.getVendorVersion().isEmpty()) {
      findings.warning("vendor_version", Rule.REQUIRED, "is empty");
    }
    int entries = response.getManifestCount();
    if (entries > MANIFEST_LIMIT) {
      findings.warning(
          "manifest",
          Rule.TOO_LARGE,
          "has " + entries + " entries; " + MANIFEST_LIMIT + " of them are kept");
    }
    return findings.result(
        () ->
            new IdentityResults.PluginInfoValue(
                PluginName.of(name),
                SafeText.escape(findings.scrub(response.getVendorVersion())),
                manifest(response.getManifestMap(), findings)));
  }

  private static Map<String, String> manifest(
      Map<String, String> foreign, AnswerFindings findings) {
    Map<String, String> manifest = new LinkedHashMap<>();
    foreign.entrySet().stream()
        .limit(MANIFEST_LIMIT)
        .forEach(
            entry ->
                manifest.put(
                    SafeText.escape(findings.scrub(entry.getKey())),
                    SafeText.escape(findings.scrub(entry.getValue()))));
    return Map.copyOf(manifest);
  }

  public static CapabilitySet<PluginCapability> getPluginCapabilities(
      GetPluginCapabilitiesRequest request,
      GetPluginCapabilitiesResponse response,
      AnswerFindings findings) {
    var tally = new CapabilityTally<>(PluginCapability.class);
    response
        .getCapabilitiesList()
        .forEach(
            capability -> {
              switch (capability.getTypeCase()) {
                case SERVICE -> addService(tally, capability.getService());
                case VOLUME_EXPANSION -> addExpansion(tally, capability.getVolumeExpansion());
                case TYPE_NOT_SET -> tally.addUnrecognized(CapabilityTally.EMPTY);
              }
            });
    return tally.result();
  }

  private static void addService(
      CapabilityTally<PluginCapability> tally,
      io.csi4j.client.internal.proto.PluginCapability.Service service) {
    switch (service.getType()) {
      case CONTROLLER_SERVICE -> tally.add(PluginCapability.CONTROLLER_SERVICE);
      case VOLUME_ACCESSIBILITY_CONSTRAINTS ->
          tally.add(PluginCapability.VOLUME_ACCESSIBILITY_CONSTRAINTS);
      case GROUP_CONTROLLER_SERVICE -> tally.add(PluginCapability.GROUP_CONTROLLER_SERVICE);
      case SNAPSHOT_METADATA_SERVICE -> tally.add(PluginCapability.SNAPSHOT_METADATA_SERVICE);
      case SNAPSHOT_ACCESSIBILITY_CONSTRAINTS ->
          tally.add(PluginCapability.SNAPSHOT_ACCESSIBILITY_CONSTRAINTS);
      case UNKNOWN, UNRECOGNIZED -> tally.addUnrecognized("service " + service.getTypeValue());
    }
  }

  private static void addExpansion(
      CapabilityTally<PluginCapability> tally,
      io.csi4j.client.internal.proto.PluginCapability.VolumeExpansion expansion) {
    switch (expansion.getType()) {
      case ONLINE -> tally.add(PluginCapability.VOLUME_EXPANSION_ONLINE);
      case OFFLINE -> tally.add(PluginCapability.VOLUME_EXPANSION_OFFLINE);
      case UNKNOWN, UNRECOGNIZED ->
          tally.addUnrecognized("volume_expansion " + expansion.getTypeValue());
    }
  }

  public static Readiness probe(
      ProbeRequest request, ProbeResponse response, AnswerFindings findings) {
    if (!response.hasReady()) {
      return Readiness.ASSUMED_READY;
    }
    return response.getReady().getValue() ? Readiness.READY : Readiness.NOT_READY;
  }
}
