package io.csi4j.volume.catalog;

import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.HealthReason;
import io.csi4j.client.model.VolumeHealthEntry;
import io.csi4j.volume.claim.ClaimDecision.Refused;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeHealth;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.plugin.InstanceId;
import io.csi4j.volume.plugin.PluginFingerprint;
import io.csi4j.volume.plugin.PluginHealth;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.PluginRole;
import io.csi4j.volume.plugin.RegisteredPlugin;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * The record of a node: the facts that it last reported, and the decisions of operators about it.
 * Facts are the inputs to placement: plugins, node ids, topologies, limits, and whether the node
 * accepts volumes. The record also has the health of its plugins and volumes, as far as that stays
 * the same between reports. Free capacity changes often and is not recorded.
 *
 * @param name the node
 * @param boot the boot in which it first reported these facts, or of its last report before the
 *     attestation that it is away
 * @param report the number of that report
 * @param plugins the plugins on the node, the newest first
 * @param isDraining whether the node itself accepts no more volumes
 * @param drained an operator's reason for draining it, if it is drained
 * @param away the cause of its absence, if that was attested since its last report
 * @param expanded the sizes to which the node expanded filesystems, for volumes for which no other
 *     node has reported that yet
 * @param unwell the volumes for which the node reports a fault. If there are very many, usually
 *     more than a hundred, only the worst are recorded
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
    Map<VolumeKey, CapacityRange> expanded,
    Map<VolumeKey, VolumeHealth> unwell) {

  /** A record has at most 64 KiB; most of that is for plugins. */
  private static final int BYTES_FOR_HEALTH = 24 * 1024;

  private static final int MOST_FAULTS = 3;
  private static final int LONGEST_TEXT = 120;

  /**
   * An instance of a plugin on a node. An instance that a node remembers from an earlier run of its
   * agent has the facts of that run.
   *
   * @param id the plugin
   * @param instance the instance
   * @param endpoint its socket on the node
   * @param roles its roles
   * @param said the fingerprint of the instance, if it was queried; without the time of the query,
   *     which is not a fact
   * @param health the health of the instance
   * @param isDraining whether the instance is draining and mounts for no further workload on the
   *     node
   */
  public record KnownPlugin(
      PluginId id,
      InstanceId instance,
      CsiEndpoint endpoint,
      Set<PluginRole> roles,
      Optional<PluginFingerprint> said,
      PluginHealth health,
      boolean isDraining) {

    /** Copies the roles and removes the time of the query from the fingerprint. */
    public KnownPlugin {
      Objects.requireNonNull(id, "id");
      Objects.requireNonNull(instance, "instance");
      Objects.requireNonNull(endpoint, "endpoint");
      roles = Set.copyOf(roles);
      said = said.map(KnownPlugin::timeless);
      health =
          new PluginHealth(
              health.state(),
              health.reason(),
              new PluginHealth.Text(cut(health.text().value())),
              health.since().truncatedTo(ChronoUnit.MILLIS));
    }

    private static KnownPlugin of(RegisteredPlugin plugin) {
      PluginRegistration known = plugin.registration();
      return new KnownPlugin(
          known.id(),
          known.instance(),
          known.binding().endpoint(),
          known.roles(),
          plugin.fingerprint(),
          plugin.health(),
          false);
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

    /** Returns the instance in the form of the node's registry. */
    public RegisteredPlugin registered() {
      return new RegisteredPlugin(
          new PluginRegistration(PluginBinding.of(id, endpoint), instance, roles),
          health,
          said,
          false);
    }
  }

  /** Checks that all parts are set. */
  public NodeEntry {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(boot, "boot");
    plugins = List.copyOf(plugins);
    drained.ifPresent(why -> checkReason(name, why));
    away.ifPresent(by -> checkReason(name, by));
    expanded = Map.copyOf(expanded);
    unwell = worst(unwell);
    if (report < 1) {
      throw new IllegalArgumentException("Report numbers start at 1, not at " + report + ".");
    }
  }

  /** Rejects a blank reason: the record shows a reason only by its text. */
  private static void checkReason(NodeName node, ReasonText reason) {
    if (reason.text().isBlank()) {
      throw new IllegalArgumentException(
          "The reason why node '" + node + "' takes no volumes is blank. Give it a text.");
    }
  }

  /**
   * Returns a node as it reports itself, without any operator's decision.
   *
   * @param boot the boot of the machine
   * @param report the number of the report within that boot
   * @param isDraining whether the node accepts no more volumes
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
        Map.of(),
        Map.of());
  }

  /** Returns this node with the plugins that it reports as draining. */
  public NodeEntry drainingPlugins(Set<PluginId> reported) {
    List<KnownPlugin> now =
        plugins.stream()
            .map(
                each ->
                    new KnownPlugin(
                        each.id,
                        each.instance,
                        each.endpoint,
                        each.roles,
                        each.said,
                        each.health,
                        reported.contains(each.id)))
            .toList();
    return new NodeEntry(name, boot, report, now, isDraining, drained, away, expanded, unwell);
  }

  /** Returns this node with the expansions that it reports. */
  public NodeEntry expanded(Map<VolumeKey, CapacityRange> reported) {
    return new NodeEntry(name, boot, report, plugins, isDraining, drained, away, reported, unwell);
  }

  /** Returns this node with the volume faults that it reports. */
  public NodeEntry unwell(Map<VolumeKey, VolumeHealth> reported) {
    return new NodeEntry(
        name, boot, report, plugins, isDraining, drained, away, expanded, reported);
  }

  /**
   * Returns the health of a volume as the node reports it; unknown while an operator attests that
   * the node is away.
   */
  public VolumeHealth health(VolumeKey volume) {
    VolumeHealth known = unwell.get(volume);
    return known == null || away.isPresent() ? VolumeHealth.well() : known;
  }

  /**
   * Keeps the entries that fit in the record, without the time of the last check, which is not a
   * fact.
   */
  private static Map<VolumeKey, VolumeHealth> worst(Map<VolumeKey, VolumeHealth> all) {
    List<Map.Entry<VolumeKey, VolumeHealth>> unwell =
        new ArrayList<>(new TreeMap<>(all).entrySet());
    unwell.removeIf(each -> each.getValue().isWell());
    unwell.sort(Comparator.comparing(each -> worst(each.getValue()), Comparator.reverseOrder()));
    Map<VolumeKey, VolumeHealth> kept = new LinkedHashMap<>();
    int room = BYTES_FOR_HEALTH;
    for (Map.Entry<VolumeKey, VolumeHealth> each : unwell) {
      VolumeHealth health = recorded(each.getValue());
      room -= size(each.getKey().toString());
      for (VolumeHealth.Finding finding : health.findings()) {
        room -= size(finding.text());
      }
      if (room < 0) {
        break;
      }
      kept.put(each.getKey(), health);
    }
    return Collections.unmodifiableMap(kept);
  }

  private static VolumeHealthEntry.Status worst(VolumeHealth unwell) {
    return unwell.findings().get(0).entry().status();
  }

  private static int size(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }

  private static VolumeHealth recorded(VolumeHealth seen) {
    return new VolumeHealth(
        seen.findings().stream().limit(MOST_FAULTS).map(NodeEntry::recorded).toList());
  }

  private static VolumeHealth.Finding recorded(VolumeHealth.Finding seen) {
    VolumeHealthEntry told = seen.entry();
    Instant since = seen.since().truncatedTo(ChronoUnit.MILLIS);
    return new VolumeHealth.Finding(
        new VolumeHealthEntry(
            told.status(),
            told.number(),
            HealthReason.of(cut(told.reason().word())),
            cut(told.message())),
        seen.source(),
        since,
        since);
  }

  private static String cut(String text) {
    return text.codePointCount(0, text.length()) <= LONGEST_TEXT
        ? text
        : text.substring(0, text.offsetByCodePoints(0, LONGEST_TEXT)) + "…";
  }

  /** Whether the node reports that the filesystem was expanded to this size of the volume. */
  public boolean hasExpanded(VolumeKey volume, CapacityRange to) {
    return to.equals(expanded.get(volume));
  }

  /**
   * Returns this node after a report. A report that arrives after a later report of the same boot
   * changes nothing; neither does a report from before the attestation that the node is away. A
   * report with the same facts only ends the state of being away.
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
        facts.expanded,
        facts.unwell);
  }

  /** Returns the later of two reports, regardless of the order in which they arrived. */
  public NodeEntry later(NodeEntry next) {
    return boot.equals(next.boot) && next.report < report ? this : next;
  }

  private boolean hasFactsOf(NodeEntry other) {
    return plugins.equals(other.plugins)
        && isDraining == other.isDraining
        && expanded.equals(other.expanded)
        && unwell.equals(other.unwell);
  }

  /**
   * Returns this node with an operator's decision to drain it.
   *
   * @param why the reason for draining, which is not blank; empty to end the draining
   */
  public NodeEntry drained(Optional<ReasonText> why) {
    return new NodeEntry(name, boot, report, plugins, isDraining, why, away, expanded, unwell);
  }

  /**
   * Returns this node after an attestation that it is away.
   *
   * @param by the cause of the absence, which is not blank
   * @param seen the node in its last report before the attestation; empty if there was none. A
   *     repeated delivery of that report does not show that the node is back
   */
  public NodeEntry away(ReasonText by, Optional<NodeEntry> seen) {
    NodeEntry last =
        seen.filter(it -> it.boot.equals(boot) ? it.report > report : hasFactsOf(it)).orElse(this);
    return new NodeEntry(
        name,
        last.boot,
        last.report,
        plugins,
        isDraining,
        drained,
        Optional.of(by),
        expanded,
        unwell);
  }

  /** Returns why no new claim may be made for the node; empty if one may be made. */
  public Optional<Refused> whyNotClaimed() {
    Optional<String> draining =
        drained
            .map(why -> "an operator is draining node '" + name + "': " + why)
            .or(
                () ->
                    isDraining
                        ? Optional.of("node '" + name + "' reports that it is draining")
                        : Optional.empty());
    return away.map(by -> refused(OperatorCode.NODE_AWAY, "node '" + name + "': " + by))
        .or(() -> draining.map(why -> refused(OperatorCode.NODE_DRAINING, why)));
  }

  /**
   * Returns why no new claim on volumes of a plugin may be made for the node; empty if one may be
   * made. A node whose plugin was not identified yet cannot mount; the node's next reports add
   * that.
   */
  public Optional<Refused> whyNotClaimed(PluginId plugin) {
    return whyNotClaimed().or(() -> whyNotServed(plugin));
  }

  private Optional<Refused> whyNotServed(PluginId plugin) {
    List<KnownPlugin> serving =
        plugins.stream()
            .filter(each -> each.id().equals(plugin) && each.roles().contains(PluginRole.NODE))
            .toList();
    if (serving.isEmpty()) {
      return Optional.of(
          refused(
              OperatorCode.PLUGIN_NOT_REGISTERED,
              "node '"
                  + name
                  + "' has not reported plugin '"
                  + plugin
                  + "' with the role NODE; claim again once it has"));
    }
    if (serving.stream().anyMatch(KnownPlugin::isDraining)) {
      return Optional.of(
          refused(
              OperatorCode.PLUGIN_DRAINING,
              "node '" + name + "' is draining plugin '" + plugin + "'"));
    }
    boolean hasSaid =
        serving.stream().anyMatch(each -> each.said().flatMap(PluginFingerprint::node).isPresent());
    return hasSaid
        ? Optional.empty()
        : Optional.of(
            refused(
                OperatorCode.PLUGIN_NOT_READY,
                "node '"
                    + name
                    + "' has not reported yet what plugin '"
                    + plugin
                    + "' reports about itself; claim again once it has"));
  }

  /** Returns the node as text for people: one line for the node and one for each plugin. */
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
          .ifPresentOrElse(said -> describe(said, line), () -> line.append(": not identified yet"));
      line.append("; ").append(each.health().state()).append(", ").append(each.health().text());
      lines.add(line.toString());
    }
    unwell.forEach(
        (volume, health) ->
            health.findings().forEach(each -> lines.add("  " + volume + ": " + each.text())));
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
