package io.csi4j.volume.internal.plugin;

import io.csi4j.client.identity.PluginCapability;
import io.csi4j.client.model.CapabilitySet;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.PluginName;
import io.csi4j.client.model.Topology;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.volume.internal.time.Clock;
import io.csi4j.volume.internal.time.VirtualTime;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.plugin.PluginFingerprint;
import io.csi4j.volume.plugin.PluginFingerprint.NodeFacts;
import io.csi4j.volume.plugin.PluginFingerprint.Version;
import io.csi4j.volume.plugin.PluginHealth.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;

/** A plugin that says what a test wants, and notes when it was asked what. */
final class ScriptedProber implements Prober {

  private final Clock clock;
  private final List<String> asked = new ArrayList<>();
  private final List<Runnable> late = new ArrayList<>();
  private int open;
  private int mostOpen;

  /** What it is like now. */
  String socket = "";

  String process = "p1";
  String name = "fake.csi";
  String version = "1.0";
  String nodeId = "node-1";
  OptionalLong maxVolumes = OptionalLong.empty();
  Optional<Topology> topology = Optional.empty();
  Set<NodeCapability> node = EnumSet.of(NodeCapability.STAGE_UNSTAGE_VOLUME);
  List<String> nonsense = List.of();
  Optional<PluginTrouble> pulse = Optional.empty();
  Optional<PluginTrouble> portrait = Optional.empty();
  int socketFailures;
  boolean isMute;
  boolean isClosed;
  Runnable whilePortrayed = () -> {};

  ScriptedProber(Clock clock) {
    this.clock = clock;
  }

  /** It is there, and a new process. */
  void comes(String process) {
    this.process = process;
    socket = "socket of " + process;
    pulse = Optional.empty();
  }

  /** Its process ends and leaves its socket behind. */
  void dies() {
    pulse =
        Optional.of(
            PluginTrouble.of(
                Reason.NOBODY_LISTENS, OperatorCode.PLUGIN_SOCKET_STALE, "nobody listens on it"));
  }

  void fails(String text) {
    pulse = Optional.of(PluginTrouble.of(Reason.ERROR, OperatorCode.PLUGIN_NOT_READY, text));
  }

  /** What it was asked since the last call of this, with the second of each. */
  List<String> asked() {
    List<String> all = List.copyOf(asked);
    asked.clear();
    return all;
  }

  /** The most questions that were ever open at a time. */
  int mostOpen() {
    return mostOpen;
  }

  /** Answers what it was asked while it was mute. */
  void speaks() {
    isMute = false;
    List<Runnable> answers = List.copyOf(late);
    late.clear();
    answers.forEach(Runnable::run);
  }

  @Override
  public String socket() {
    if (socketFailures > 0) {
      socketFailures--;
      throw new IllegalStateException("the socket could not be looked at");
    }
    return socket;
  }

  @Override
  public void probe(Consumer<Pulse> then) {
    if (socket.isEmpty()) {
      begin("look");
      answer(() -> then.accept(new Pulse(Optional.of(noSocket()), "")));
      return;
    }
    begin("probe");
    answer(() -> then.accept(new Pulse(pulse, pulse.isEmpty() ? process : "")));
  }

  @Override
  public void portray(Consumer<Portrait> then) {
    begin("portray");
    PluginName told = PluginName.of(name);
    Optional<PluginFingerprint> whole =
        portrait.isPresent() ? Optional.empty() : Optional.of(fingerprint());
    whilePortrayed.run();
    answer(() -> then.accept(new Portrait(whole, Optional.of(told), portrait, nonsense, process)));
  }

  PluginFingerprint fingerprint() {
    return new PluginFingerprint(
        PluginName.of(name),
        new Version(version),
        new CapabilitySet<>(EnumSet.of(PluginCapability.CONTROLLER_SERVICE), Set.of()),
        Optional.empty(),
        Optional.of(
            new NodeFacts(
                Optional.of(NodeId.of(nodeId)),
                maxVolumes,
                topology,
                new CapabilitySet<>(node, Set.of()))),
        clock.wall());
  }

  static PluginTrouble noSocket() {
    return PluginTrouble.of(Reason.NO_SOCKET, OperatorCode.PLUGIN_NOT_UP, "there is no socket");
  }

  private void begin(String what) {
    asked.add(Duration.between(VirtualTime.BEGIN, clock.wall()).toSeconds() + " " + what);
    open++;
    mostOpen = Math.max(mostOpen, open);
  }

  private void answer(Runnable answer) {
    Runnable once =
        () -> {
          open--;
          answer.run();
        };
    if (isMute) {
      late.add(once);
    } else {
      once.run();
    }
  }

  @Override
  public void close() {
    isClosed = true;
  }
}
