package io.csi4j.volume.catalog;

import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.volume.claim.ClaimDecision.Refused;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.plugin.InstanceId;
import io.csi4j.volume.plugin.PluginFingerprint;
import io.csi4j.volume.plugin.PluginHealth;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.PluginRole;
import io.csi4j.volume.plugin.RegisteredPlugin;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * A node as it stands on record: the facts that it reported last, and what operators have said of
 * it. Facts are what decides where a volume can be: plugins, node ids, places, limits, and whether
 * the node takes volumes. Health and room change often, and are not on record.
 *
 * @param name the node
 * @param boot the boot in which it reported these facts first, or last before it was attested to be
 *     away
 * @param report the number of that report
 * @param plugins the plugins there, the newest first
 * @param isDraining whether the node itself takes no more volumes
 * @param drained why an operator lets it take no more volumes, if one does
 * @param away what keeps it away, as was attested since its last report
 * @param expanded the sizes that filesystems there follow, of volumes for which another node has
 *     not reported that yet
 * @since 1.0
 */
public record NodeEntry(
    NodeName name,
    String boot,
    long report,
    List<KnownPlugin> plugins,
    boolean isDraining,
    Optional<ReasonText> drained,
    Optional<ReasonText> away,
    Map<VolumeKey, CapacityRange> expanded) {

  private static final PluginHealth ON_RECORD =
      new PluginHealth(
          PluginHealth.State.STARTING,
          PluginHealth.Reason.NOT_ASKED,
          new PluginHealth.Text("its node is known from a record"),
          Instant.EPOCH);

  /**
   * An instance of a plugin on a node. One that a node knows from an earlier run of its agent is
   * there as before.
   *
   * @param id the plugin
   * @param instance the instance
   * @param endpoint where it is on the node
   * @param roles its roles
   * @param said what it said of itself, if it was asked; the time of that is no fact
   */
  public record KnownPlugin(
      PluginId id,
      InstanceId instance,
      CsiEndpoint endpoint,
      Set<PluginRole> roles,
      Optional<PluginFingerprint> said) {

    /** Copies the roles, and keeps of a fingerprint what is a fact. */
    public KnownPlugin {
      Objects.requireNonNull(id, "id");
      Objects.requireNonNull(instance, "instance");
      Objects.requireNonNull(endpoint, "endpoint");
      roles = Set.copyOf(roles);
      said = said.map(KnownPlugin::timeless);
    }

    private static KnownPlugin of(RegisteredPlugin plugin) {
      PluginRegistration known = plugin.registration();
      return new KnownPlugin(
          known.id(),
          known.instance(),
          known.binding().endpoint(),
          known.roles(),
          plugin.fingerprint());
    }

    private static PluginFingerprint timeless(PluginFingerprint said) {
      return new PluginFingerprint(
          said.name(),
          said.version(),
          said.plugin(),
          said.controller(),
          said.node(),
          Instant.EPOCH);
    }

    /** Returns the instance as if it was registered, and not asked for its health. */
    public RegisteredPlugin registered() {
      return new RegisteredPlugin(
          new PluginRegistration(PluginBinding.of(id, endpoint), instance, roles),
          ON_RECORD,
          said,
          false);
    }
  }

  /** Checks that all parts are there. */
  public NodeEntry {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(boot, "boot");
    plugins = List.copyOf(plugins);
    drained.ifPresent(why -> checkReason(name, why));
    away.ifPresent(by -> checkReason(name, by));
    expanded = Map.copyOf(expanded);
    if (report < 1) {
      throw new IllegalArgumentException("Reports count from 1, not from " + report + ".");
    }
  }

  /** A reason without text would not be on record: the text alone says that there is one. */
  private static void checkReason(NodeName node, ReasonText reason) {
    if (reason.text().isBlank()) {
      throw new IllegalArgumentException(
          "The reason why node '" + node + "' takes no volumes is blank. Give it a text.");
    }
  }

  /**
   * Returns a node as it reports itself, of which no operator has said anything.
   *
   * @param boot the boot of the machine
   * @param report the number of the report in that boot
   * @param isDraining whether it takes no more volumes
   */
  public static NodeEntry reported(
      NodeName name,
      String boot,
      long report,
      Collection<RegisteredPlugin> plugins,
      boolean isDraining) {
    return new NodeEntry(
        name,
        boot,
        report,
        plugins.stream().map(KnownPlugin::of).toList(),
        isDraining,
        Optional.empty(),
        Optional.empty(),
        Map.of());
  }

  /** Returns the node with the expansions that it reports. */
  public NodeEntry expanded(Map<VolumeKey, CapacityRange> reported) {
    return new NodeEntry(name, boot, report, plugins, isDraining, drained, away, reported);
  }

  /** Whether the node reports that a filesystem follows this size of its volume. */
  public boolean hasExpanded(VolumeKey volume, CapacityRange to) {
    return to.equals(expanded.get(volume));
  }

  /**
   * Returns the node after a report. A report that arrives after a later one of the same boot
   * changes nothing, and so does one that was seen before the node was attested to be away. One
   * with the same facts changes nothing but that the node is not away.
   *
   * @param next the node as it reports itself
   */
  public NodeEntry after(NodeEntry next) {
    boolean isLate = next.report < report || (away.isPresent() && next.report == report);
    if (boot.equals(next.boot) && isLate) {
      return this;
    }
    NodeEntry facts = hasFactsOf(next) ? this : next;
    return new NodeEntry(
        name,
        facts.boot,
        facts.report,
        facts.plugins,
        facts.isDraining,
        drained,
        Optional.empty(),
        facts.expanded);
  }

  private boolean hasFactsOf(NodeEntry other) {
    return plugins.equals(other.plugins)
        && isDraining == other.isDraining
        && expanded.equals(other.expanded);
  }

  /**
   * Returns the node with the word of an operator.
   *
   * @param why why it takes no more volumes, which is not blank; nothing to end that
   */
  public NodeEntry drained(Optional<ReasonText> why) {
    return new NodeEntry(name, boot, report, plugins, isDraining, why, away, expanded);
  }

  /**
   * Returns the node after an attestation.
   *
   * @param by what keeps it away, which is not blank
   * @param seen the node as its last report had it that was seen before; nothing if none was. That
   *     report may arrive again, and does not show that the node is back
   */
  public NodeEntry away(ReasonText by, Optional<NodeEntry> seen) {
    NodeEntry last =
        seen.filter(this::hasFactsOf)
            .filter(it -> !it.boot.equals(boot) || it.report > report)
            .orElse(this);
    return new NodeEntry(
        name, last.boot, last.report, plugins, isDraining, drained, Optional.of(by), expanded);
  }

  /** Returns why nothing new may be claimed for the node; nothing if it may be. */
  public Optional<Refused> whyNotClaimed() {
    Optional<String> draining =
        drained
            .map(why -> "an operator drains node '" + name + "': " + why)
            .or(
                () ->
                    isDraining
                        ? Optional.of("node '" + name + "' reports so itself")
                        : Optional.empty());
    return away.map(by -> refused(OperatorCode.NODE_AWAY, "node '" + name + "': " + by))
        .or(() -> draining.map(why -> refused(OperatorCode.NODE_DRAINING, why)));
  }

  /** Returns the node for people: a line for it, and one for each plugin. */
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add(
        "node '"
            + name
            + "': "
            + whyNotClaimed()
                .map(why -> why.code() + ", " + why.because())
                .orElse("takes volumes"));
    for (KnownPlugin each : plugins) {
      StringBuilder line = new StringBuilder("  plugin '");
      line.append(each.id()).append("', instance '").append(each.instance()).append('\'');
      each.said()
          .ifPresentOrElse(
              said -> describe(said, line), () -> line.append(": has not said anything yet"));
      lines.add(line.toString());
    }
    return lines;
  }

  private static void describe(PluginFingerprint said, StringBuilder line) {
    line.append(", version '").append(said.version()).append('\'');
    said.node()
        .ifPresent(
            facts -> {
              facts.nodeId().ifPresent(id -> line.append(", node id '").append(id).append('\''));
              facts.maxVolumes().ifPresent(most -> line.append(", at most ").append(most));
              facts.topology().ifPresent(place -> line.append(", in ").append(place));
            });
  }

  private static Refused refused(OperatorCode code, String why) {
    return new Refused(code, Optional.empty(), new ReasonText(why));
  }
}
