package io.csi4j.testkit.internal.referee;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.testkit.internal.referee.KnownOffers.Part;
import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.journal.WireMessage;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** Where volumes are asked for, and where they are used. */
final class TopologyRules extends DutyRule {

  private static final int PART_LIMIT = 63;
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9]([-_.A-Za-z0-9]*[A-Za-z0-9])?");
  private static final Pattern PREFIX =
      Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");

  /** The keys and values that the plugin told, in lower case keys. */
  private final Set<String> told = new HashSet<>();

  TopologyRules(Hearing hearing) {
    super(hearing, "Topology", 104, 194, 217, 218, 219);
  }

  @Override
  void began(RecordedCall call) {
    for (WireMessage topology : asked(call)) {
      topology.map("segments").forEach((key, value) -> segment(call, key, value));
    }
    if (call.operation() == CsiOperation.CONTROLLER_PUBLISH_VOLUME) {
      reach(call, WireFields.text(call, "node_id"));
    } else if (call.operation() == CsiOperation.NODE_STAGE_VOLUME
        || call.operation() == CsiOperation.NODE_PUBLISH_VOLUME) {
      reach(call, WireFields.node(call));
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
    if (told.contains(pair(key, value))) {
      kept(217, 218, 219, 194);
      return;
    }
    int slash = key.indexOf('/');
    String prefix = slash < 0 ? "" : key.substring(0, slash);
    String name = key.substring(slash + 1);
    judge(
        isName(name),
        call,
        "with a topology key whose name is not 1 to 63 letters, digits, '-', '_' and '.'.",
        217);
    judge(
        slash < 0 || (prefix.length() <= PART_LIMIT && PREFIX.matcher(prefix).matches()),
        call,
        "with a topology key whose prefix is no lower-case domain name of up to 63 characters.",
        218);
    judge(
        isName(value),
        call,
        "with a topology value that is not 1 to 63 letters, digits, '-', '_' and '.'.",
        219);
    if (world.isComplete() && !told.isEmpty() && call.operation() == CsiOperation.CREATE_VOLUME) {
      judge(
          false,
          call,
          "with a topology that the plugin never told. Use the segments that NodeGetInfo told.",
          194);
    }
  }

  private void reach(RecordedCall call, String node) {
    KnownVolume volume = world.knownVolume(WireFields.volume(call));
    WireMessage info = world.nodeInfo(node);
    if (volume == null
        || info == null
        || volume.topology.isEmpty()
        || !world.offers().has(Part.PLUGIN, "", "VOLUME_ACCESSIBILITY_CONSTRAINTS")) {
      return;
    }
    Map<String, String> here = info.message("accessible_topology").map("segments");
    Set<String> pairs = new HashSet<>();
    here.forEach((key, value) -> pairs.add(pair(key, value)));
    boolean reachable =
        volume.topology.stream()
            .anyMatch(
                one ->
                    one.map("segments").entrySet().stream()
                        .allMatch(entry -> pairs.contains(pair(entry.getKey(), entry.getValue()))));
    judge(
        reachable,
        call,
        "although the volume is not accessible from there. Compare its accessible_topology with"
            + " that of the node.",
        104);
  }

  @Override
  void ended(RecordedCall call) {
    if (!call.ok()) {
      return;
    }
    call.answer()
        .ifPresent(
            answer -> {
              switch (call.operation()) {
                case NODE_GET_INFO -> note(answer.message("accessible_topology"));
                case CREATE_VOLUME, CONTROLLER_GET_VOLUME ->
                    answer.message("volume").messages("accessible_topology").forEach(this::note);
                case LIST_VOLUMES ->
                    answer.messages("entries").stream()
                        .flatMap(
                            one -> one.message("volume").messages("accessible_topology").stream())
                        .forEach(this::note);
                default -> {}
              }
            });
  }

  private void note(WireMessage topology) {
    topology.map("segments").forEach((key, value) -> told.add(pair(key, value)));
  }

  private static boolean isName(String text) {
    return text.length() <= PART_LIMIT && NAME.matcher(text).matches();
  }

  /** Keys are compared without regard to case. */
  private static String pair(String key, String value) {
    return key.toLowerCase(Locale.ROOT) + "=" + value;
  }
}
