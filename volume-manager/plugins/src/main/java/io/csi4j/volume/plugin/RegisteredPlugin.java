package io.csi4j.volume.plugin;

import io.csi4j.client.model.CapabilitySet;
import io.csi4j.volume.plugin.PluginFingerprint.NodeFacts;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * An instance in a registry.
 *
 * @param registration its registration
 * @param health the health of the instance, as reported by its supervisor
 * @param fingerprint the last description that the instance returned about itself, if there is one
 * @param remembered whether the instance is known only from an earlier run and was not registered
 *     in this run
 * @since 1.0
 */
public record RegisteredPlugin(
    PluginRegistration registration,
    PluginHealth health,
    Optional<PluginFingerprint> fingerprint,
    boolean remembered) {

  /** Checks that all parts are present. */
  public RegisteredPlugin {
    Objects.requireNonNull(registration, "registration");
    Objects.requireNonNull(health, "health");
    Objects.requireNonNull(fingerprint, "fingerprint");
  }

  /**
   * Returns a description of the instance for people: a line with the name, and indented lines with
   * the socket, the fingerprint and the policy. The health is left out.
   */
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add("plugin '" + registration.id() + "', instance '" + registration.instance() + "'");
    var binding = registration.binding();
    lines.add("  endpoint: " + binding.endpoint());
    binding.seesRootAt().ifPresent(path -> lines.add("  sees the directory at: " + path));
    lines.add("  roles: " + sorted(registration.roles().stream().map(Enum::name)));
    fingerprint.ifPresent(said -> describe(said, lines));
    lines.add("  policy: " + binding.policy());
    return lines;
  }

  /** Returns the lines of {@link #lines}, with the time of the registration and the health. */
  public List<String> linesInFull() {
    List<String> lines = lines();
    lines.add(
        remembered
            ? "  remembered from an earlier run, but not registered since"
            : "  registered in this run");
    lines.add(
        "  health: "
            + health.state()
            + " since "
            + health.since()
            + ", "
            + health.reason()
            + ": "
            + health.text());
    return lines;
  }

  private static void describe(PluginFingerprint said, List<String> lines) {
    lines.add(
        "  reports: name '"
            + said.name()
            + "', version '"
            + said.version()
            + "', at "
            + said.taken());
    lines.add("  the plugin offers: " + offered(said.plugin()));
    said.controller().ifPresent(can -> lines.add("  its controller offers: " + offered(can)));
    if (said.node().isPresent()) {
      NodeFacts node = said.node().get();
      lines.add("  its node offers: " + offered(node.capabilities()));
      node.nodeId().ifPresent(id -> lines.add("  id of the node: " + id));
      node.maxVolumes().ifPresent(most -> lines.add("  volumes at most: " + most));
    }
  }

  private static String offered(CapabilitySet<?> set) {
    String all =
        sorted(
            Stream.concat(
                set.offered().stream().map(Enum::name),
                set.unrecognized().stream().map(name -> "'" + name + "'")));
    return all.isEmpty() ? "nothing" : all;
  }

  private static String sorted(Stream<String> names) {
    return names.sorted().collect(Collectors.joining(", "));
  }
}
