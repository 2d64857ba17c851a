package io.csi4j.volume.catalog;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.AccessType;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.Violation;
import io.csi4j.client.model.Violation.Rule;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.volume.internal.words.ModeWords;
import io.csi4j.volume.model.AttachmentMode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** The rules for the wish for a volume. Pure. */
final class VolumeRules {

  /** The limit of the spec for all of a map, in bytes. */
  private static final int MAP_LIMIT = 4096;

  private VolumeRules() {}

  /** All that is wrong. */
  static List<Violation> violations(
      Collection<VolumeCapability> capabilities,
      Map<String, String> parameters,
      Map<String, String> mutableParameters,
      MountOptions mountOptions) {
    List<Violation> wrong = new ArrayList<>();
    if (capabilities.isEmpty()) {
      wrong.add(
          new Violation("capabilities", Rule.REQUIRED, "is empty: say how the volume may be used"));
    }
    int at = 0;
    for (VolumeCapability each : capabilities) {
      String field = "capabilities[" + at + "]";
      if (!each.accessMode().isStated()) {
        wrong.add(
            new Violation(
                field + ".access_mode",
                Rule.REQUIRED,
                "is none of the spec: " + each.accessMode()));
      }
      if (each.accessType() instanceof AccessType.Unspecified) {
        wrong.add(
            new Violation(
                field + ".access_type",
                Rule.REQUIRED,
                "is missing: say whether a filesystem or a block device"));
      }
      at++;
    }
    boolean isMounted = capabilities.stream().anyMatch(each -> !each.isBlock());
    if (!capabilities.isEmpty() && !isMounted && !mountOptions.equals(MountOptions.none())) {
      wrong.add(
          new Violation(
              "mount_options",
              Rule.MISMATCH,
              "are given for a volume that is a block device only, and never mounted"));
    }
    map(wrong, "parameters", parameters);
    map(wrong, "mutable_parameters", mutableParameters);
    return List.copyOf(wrong);
  }

  private static void map(List<Violation> wrong, String field, Map<String, String> map) {
    long bytes = 0;
    for (Map.Entry<String, String> entry : map.entrySet()) {
      if (entry.getKey().isEmpty()) {
        wrong.add(new Violation(field, Rule.REQUIRED, "has an empty key"));
      }
      bytes += entry.getKey().getBytes(StandardCharsets.UTF_8).length;
      bytes += entry.getValue().getBytes(StandardCharsets.UTF_8).length;
    }
    if (bytes > MAP_LIMIT) {
      wrong.add(
          new Violation(
              field, Rule.TOO_LARGE, "has " + bytes + " bytes; the spec allows " + MAP_LIMIT));
    }
  }

  /** Reads words, and notes those that mean nothing. */
  static final class Reading {

    private final List<Violation> wrong = new ArrayList<>();

    /** The way of use that two words mean, if both mean something. */
    Optional<VolumeCapability> use(Word mode, Word attachment) {
      Optional<AccessMode> how = read("access_mode", mode, () -> ModeWords.parse(mode.value()));
      Optional<AttachmentMode> what =
          read("attachment_mode", attachment, () -> AttachmentMode.parse(attachment.value()));
      return how.flatMap(
          known ->
              what.map(
                  as ->
                      as == AttachmentMode.BLOCK
                          ? VolumeCapability.block(known)
                          : VolumeCapability.mount(known)));
    }

    private <T> Optional<T> read(String field, Word word, Supplier<T> reading) {
      try {
        return Optional.of(reading.get());
      } catch (IllegalArgumentException refused) {
        String why = String.valueOf(refused.getMessage());
        wrong.add(
            new Violation(
                field,
                word.value().isEmpty() ? Rule.REQUIRED : Rule.UNRECOGNIZED,
                "is refused: " + why.substring(0, why.length() - (why.endsWith(".") ? 1 : 0))));
        return Optional.empty();
      }
    }

    /** Returns the violations that were noted, and these. */
    List<Violation> with(List<Violation> rest, boolean hasTwoSources) {
      List<Violation> all = new ArrayList<>(wrong);
      boolean triedToSay = wrong.stream().anyMatch(each -> each.field().endsWith("_mode"));
      rest.stream()
          .filter(each -> !(triedToSay && each.field().equals("capabilities")))
          .forEach(all::add);
      if (hasTwoSources) {
        all.add(
            new Violation(
                "source", Rule.MISMATCH, "is a snapshot and a volume: leave one of them out"));
      }
      return List.copyOf(all);
    }
  }
}
