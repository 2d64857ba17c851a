package io.csi4j.client.internal.mapping;

import io.csi4j.client.controller.ValidationResult;
import io.csi4j.client.internal.proto.ValidateVolumeCapabilitiesRequest;
import io.csi4j.client.internal.proto.ValidateVolumeCapabilitiesResponse;
import io.csi4j.client.internal.proto.VolumeCapability;
import io.csi4j.client.internal.proto.VolumeCapability.AccessTypeCase;
import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.Violation;
import io.csi4j.client.model.Violation.Rule;
import io.csi4j.client.model.VolumeContext;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Compares a plugin's confirmation for a volume with the request, completely and by value.
 *
 * <p>Everything in the request must be confirmed; the confirmation may contain more. A part that
 * the confirmation leaves out is a difference with the rule REQUIRED. A part with another value is
 * a difference with the rule MISMATCH; only this is a contradiction. The differences never show
 * mount flags or the values of maps.
 */
public final class CapabilityComparison {

  /** Maximum number of confirmed capabilities that are compared. */
  public static final int CONFIRMED_LIMIT = 256;

  private static final String CAPABILITIES = "volume_capabilities";

  private CapabilityComparison() {}

  /**
   * Compares the confirmation with the request. Throws {@link UnusableAnswerException} if the
   * confirmation is absurdly large.
   */
  public static ValidationResult compare(
      ValidateVolumeCapabilitiesRequest request,
      ValidateVolumeCapabilitiesResponse response,
      AnswerFindings findings) {
    String message = SafeText.escape(findings.scrub(response.getMessage()));
    if (isAbsent(response.getConfirmed())) {
      return new ValidationResult.Unconfirmed(message);
    }
    var confirmed = response.getConfirmed();
    AnswerRules.map(findings, "confirmed.volume_context", confirmed.getVolumeContextMap());
    AnswerRules.map(findings, "confirmed.parameters", confirmed.getParametersMap());
    AnswerRules.map(findings, "confirmed.mutable_parameters", confirmed.getMutableParamsMap());
    List<VolumeCapability> capabilities = confirmed.getVolumeCapabilitiesList();
    if (capabilities.size() > CONFIRMED_LIMIT) {
      findings.warning(
          "confirmed." + CAPABILITIES,
          Rule.TOO_LARGE,
          "has " + capabilities.size() + " entries; " + CONFIRMED_LIMIT + " are compared");
      capabilities = capabilities.subList(0, CONFIRMED_LIMIT);
    }
    List<Violation> differences =
        capabilities(request.getVolumeCapabilitiesList(), capabilities, findings);
    compareMaps(
        "volume_context",
        request.getVolumeContextMap(),
        confirmed.getVolumeContextMap(),
        differences);
    compareMaps(
        "parameters", request.getParametersMap(), confirmed.getParametersMap(), differences);
    compareMaps(
        "mutable_parameters",
        request.getMutableParamsMap(),
        confirmed.getMutableParamsMap(),
        differences);
    return result(confirmed, capabilities, differences, message, findings);
  }

  /**
   * Returns whether the confirmation is empty; an empty confirmation means the same as no
   * confirmation.
   */
  private static boolean isAbsent(ValidateVolumeCapabilitiesResponse.Confirmed confirmed) {
    return confirmed.getVolumeCapabilitiesCount() == 0
        && confirmed.getVolumeContextCount() == 0
        && confirmed.getParametersCount() == 0
        && confirmed.getMutableParamsCount() == 0;
  }

  private static ValidationResult result(
      ValidateVolumeCapabilitiesResponse.Confirmed confirmed,
      List<VolumeCapability> capabilities,
      List<Violation> differences,
      String message,
      AnswerFindings findings) {
    return findings.result(
        () -> {
          var confirmation =
              new ValidationResult.Confirmation(
                  VolumeContext.of(confirmed.getVolumeContextMap()),
                  capabilities.stream().map(ValueMapping::fromProto).toList(),
                  confirmed.getParametersMap(),
                  confirmed.getMutableParamsMap());
          return differences.isEmpty()
              ? new ValidationResult.Confirmed(confirmation, message)
              : new ValidationResult.Mismatch(
                  confirmation, differences, contradictions(differences) > 0, message);
        });
  }

  /**
   * Returns the differences of all requested capabilities. Each is compared with the most similar
   * confirmed capability.
   */
  private static List<Violation> capabilities(
      List<VolumeCapability> asked, List<VolumeCapability> confirmed, AnswerFindings findings) {
    List<Violation> out = new ArrayList<>();
    if (confirmed.isEmpty() && !asked.isEmpty()) {
      out.add(new Violation(CAPABILITIES, Rule.REQUIRED, askedAndNone(asked.size())));
      return out;
    }
    List<Pair> pairs = new ArrayList<>();
    Set<Integer> open = new TreeSet<>();
    Set<Integer> taken = new HashSet<>();
    for (int i = 0; i < asked.size(); i++) {
      boolean matched = false;
      List<Pair> candidates = new ArrayList<>();
      for (int j = 0; j < confirmed.size(); j++) {
        List<Violation> differences =
            compare(CAPABILITIES + "[" + i + "]", asked.get(i), confirmed.get(j), findings);
        if (differences.isEmpty()) {
          matched = true;
          taken.add(j);
        } else {
          candidates.add(new Pair(i, j, differences));
        }
      }
      if (!matched) {
        open.add(i);
        pairs.addAll(candidates);
      }
    }
    pairs.sort(
        (a, b) ->
            a.contradictions() != b.contradictions()
                ? Integer.compare(a.contradictions(), b.contradictions())
                : Integer.compare(a.differences.size(), b.differences.size()));
    Map<Integer, List<Violation>> byAsked = new TreeMap<>();
    for (Pair pair : pairs) {
      if (open.contains(pair.asked) && taken.add(pair.confirmed)) {
        open.remove(pair.asked);
        byAsked.put(pair.asked, pair.differences);
      }
    }
    for (int i : open) {
      byAsked.put(
          i,
          List.of(
              new Violation(
                  CAPABILITIES + "[" + i + "]",
                  Rule.REQUIRED,
                  "is not among the " + confirmed.size() + " confirmed")));
    }
    byAsked.values().forEach(out::addAll);
    return out;
  }

  private record Pair(int asked, int confirmed, List<Violation> differences) {
    int contradictions() {
      return CapabilityComparison.contradictions(differences);
    }
  }

  private static int contradictions(Collection<Violation> differences) {
    return (int) differences.stream().filter(each -> each.rule() == Rule.MISMATCH).count();
  }

  private static List<Violation> compare(
      String field, VolumeCapability asked, VolumeCapability confirmed, AnswerFindings findings) {
    List<Violation> out = new ArrayList<>();
    AccessMode askedMode = ValueMapping.fromProto(asked.getAccessMode().getMode());
    AccessMode confirmedMode = ValueMapping.fromProto(confirmed.getAccessMode().getMode());
    if (askedMode != confirmedMode) {
      out.add(
          new Violation(
              field + ".access_mode.mode",
              confirmedMode == AccessMode.UNSPECIFIED ? Rule.REQUIRED : Rule.MISMATCH,
              askedAndConfirmed(askedMode.name(), confirmedMode.name())));
    }
    AccessTypeCase askedType = asked.getAccessTypeCase();
    AccessTypeCase confirmedType = confirmed.getAccessTypeCase();
    if (askedType != confirmedType) {
      boolean silent = confirmedType == AccessTypeCase.ACCESSTYPE_NOT_SET;
      out.add(
          new Violation(
              field + ".access_type",
              silent ? Rule.REQUIRED : Rule.MISMATCH,
              askedAndConfirmed(name(askedType), name(confirmedType))));
    } else if (asked.hasMount()) {
      compareMounts(field + ".mount", asked.getMount(), confirmed.getMount(), findings, out);
    }
    return out;
  }

  private static String name(AccessTypeCase type) {
    return switch (type) {
      case BLOCK -> "block";
      case MOUNT -> "mount";
      case ACCESSTYPE_NOT_SET -> "no access type";
    };
  }

  private static void compareMounts(
      String field,
      VolumeCapability.MountVolume asked,
      VolumeCapability.MountVolume confirmed,
      AnswerFindings findings,
      List<Violation> out) {
    compareTexts(field + ".fs_type", asked.getFsType(), confirmed.getFsType(), findings, out);
    compareFlags(
        field + ".mount_flags", asked.getMountFlagsList(), confirmed.getMountFlagsList(), out);
    compareTexts(
        field + ".volume_mount_group",
        asked.getVolumeMountGroup(),
        confirmed.getVolumeMountGroup(),
        findings,
        out);
  }

  private static void compareTexts(
      String field, String asked, String confirmed, AnswerFindings findings, List<Violation> out) {
    if (!asked.isEmpty() && !asked.equals(confirmed)) {
      out.add(
          confirmed.isEmpty()
              ? new Violation(
                  field, Rule.REQUIRED, askedAndConfirmed(findings.quote(asked), "none"))
              : new Violation(
                  field,
                  Rule.MISMATCH,
                  askedAndConfirmed(findings.quote(asked), findings.quote(confirmed))));
    }
  }

  private static void compareFlags(
      String field, List<String> asked, List<String> confirmed, List<Violation> out) {
    Set<String> wanted = new HashSet<>(asked);
    Set<String> given = new HashSet<>(confirmed);
    if (given.containsAll(wanted)) {
      return;
    }
    boolean others = !wanted.containsAll(given);
    long shared = wanted.stream().filter(given::contains).count();
    out.add(
        new Violation(
            field,
            others ? Rule.MISMATCH : Rule.REQUIRED,
            askedAndConfirmed(
                    wanted.size() + (wanted.size() == 1 ? " flag" : " flags"),
                    shared == 0 ? "none" : shared + " of them")
                + (others ? " and others" : "")));
  }

  private static void compareMaps(
      String field, Map<String, String> asked, Map<String, String> confirmed, List<Violation> out) {
    if (confirmed.isEmpty() && !asked.isEmpty()) {
      out.add(new Violation(field, Rule.REQUIRED, askedAndNone(asked.size())));
      return;
    }
    asked.forEach(
        (key, value) -> {
          String path = field + "[" + SafeText.escape(key, 128) + "]";
          if (!confirmed.containsKey(key)) {
            out.add(new Violation(path, Rule.REQUIRED, "is not confirmed"));
          } else if (!value.equals(confirmed.get(key))) {
            out.add(new Violation(path, Rule.MISMATCH, "is confirmed with another value"));
          }
        });
  }

  private static String askedAndNone(int count) {
    return askedAndConfirmed(count + (count == 1 ? " entry" : " entries"), "none");
  }

  private static String askedAndConfirmed(String asked, String confirmed) {
    return "asked " + asked + ", confirmed " + confirmed;
  }
}
