package io.csi4j.testkit.internal.referee;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.testkit.internal.referee.KnownOffers.Part;
import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.journal.WireMessage;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** Rules for the topology in requests, and for the nodes that use a volume. */
final class TopologyRules extends DutyRule {

  private static final int PART_LIMIT = 63;
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9]([-_.A-Za-z0-9]*[A-Za-z0-9])?");
  private static final Pattern PREFIX =
      Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");

  /** Keys and values that the plugin reported, with keys in lower case. */
  private final Set<String> told = new HashSet<>();

  /** Keys as the plugin reported them, in upper or lower case. */
  private final Set<String> keys = new HashSet<>();

  TopologyRules(Hearing hearing) {
    super(hearing, "Topology");
  }

  @Override
  void began(RecordedCall call) {
    for (WireMessage topology : asked(call)) {
      topology.map("segments").forEach((key, value) -> segment(call, key, value));
    }
    switch (call.operation()) {
      case CONTROLLER_PUBLISH_VOLUME -> reach(call, WireFields.text(call, "node_id"));
      case NODE_STAGE_VOLUME, NODE_PUBLISH_VOLUME -> reach(call, WireFields.node(call));
      default -> {}
    }
  }

  private static List<WireMessage> asked(RecordedCall call) {
    if (call.operation() == CsiOperation.CREATE_VOLUME) {
      WireMessage asked = call.request().message("accessibility_requirements");
      List<WireMessage> all = new ArrayList<>(asked.messages("requisite"));
      all.addAll(asked.messages("preferred"));
      return all;
    }
    return WireFields.has(call, "accessible_topology")
        ? List.of(call.request().message("accessible_topology"))
        : List.of();
  }

  private void segment(RecordedCall call, String key, String value) {
    if (told.contains(WireFields.pair(key, value))) {
      kept(call, "told");
      return;
    }
    if (!keys.contains(key.toLowerCase(Locale.ROOT))) {
      key(call, key);
    }
    judge(isName(value), call, "value");
    if (world.isComplete() && !told.isEmpty() && call.operation() == CsiOperation.CREATE_VOLUME) {
      judge(false, call, "not told");
    }
  }

  private void key(RecordedCall call, String key) {
    int slash = key.indexOf('/');
    String prefix = slash < 0 ? "" : key.substring(0, slash);
    boolean isPrefix =
        slash < 0 || (prefix.length() <= PART_LIMIT && PREFIX.matcher(prefix).matches());
    judge(isName(key.substring(slash + 1)), call, "key name");
    judge(isPrefix, call, "key prefix");
  }

  private void reach(RecordedCall call, String node) {
    KnownVolume volume = world.knownVolume(WireFields.volume(call));
    WireMessage info = world.nodes.get(node);
    if (volume == null
        || info == null
        || volume.topology.isEmpty()
        || !world.offers.has(Part.PLUGIN, "", "VOLUME_ACCESSIBILITY_CONSTRAINTS")) {
      return;
    }
    Set<String> here = WireFields.pairs(info.message("accessible_topology"));
    boolean reachable =
        volume.topology.stream().anyMatch(one -> here.containsAll(WireFields.pairs(one)));
    judge(reachable, call, "not accessible");
  }

  @Override
  void ended(RecordedCall call) {
    call.answer().ifPresent(answer -> answered(call, answer));
  }

  private void answered(RecordedCall call, WireMessage answer) {
    switch (call.operation()) {
      case NODE_GET_INFO -> note(answer.message("accessible_topology"));
      case CREATE_VOLUME, CONTROLLER_GET_VOLUME -> note(answer, "volume");
      case LIST_VOLUMES -> answer.messages("entries").forEach(entry -> note(entry, "volume"));
      case CREATE_SNAPSHOT, GET_SNAPSHOT -> note(answer, "snapshot");
      case LIST_SNAPSHOTS -> answer.messages("entries").forEach(entry -> note(entry, "snapshot"));
      default -> {}
    }
  }

  private void note(WireMessage entry, String what) {
    entry.message(what).messages("accessible_topology").forEach(this::note);
  }

  private void note(WireMessage topology) {
    told.addAll(WireFields.pairs(topology));
    topology.map("segments").keySet().forEach(key -> keys.add(key.toLowerCase(Locale.ROOT)));
  }

  private static boolean isName(String text) {
    return text.length() <= PART_LIMIT && NAME.matcher(text).matches();
  }
}
