package io.csi4j.testkit.internal.referee;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.testkit.journal.RecordedCall;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Pages and their tokens. */
final class PageRules extends DutyRule {

  /** By token: the filters of the listings that it was given in. */
  private final Map<String, Set<String>> volumes = new HashMap<>();

  private final Map<String, Set<String>> snapshots = new HashMap<>();

  PageRules(Hearing hearing) {
    super(hearing, "Pages", 271, 272, 274, 337, 338);
  }

  @Override
  void began(RecordedCall call) {
    if (call.operation() == CsiOperation.LIST_VOLUMES) {
      entries(call, 271);
      token(call, volumes, 272, 274);
    } else if (call.operation() == CsiOperation.LIST_SNAPSHOTS) {
      entries(call, 337);
      token(call, snapshots, 338, 274);
    }
  }

  private void entries(RecordedCall call, int duty) {
    boolean good = call.request().number("max_entries") >= 0;
    judge(good, call, "with negative max_entries. 0 means no limit.", duty);
  }

  private void token(RecordedCall call, Map<String, Set<String>> given, int duty, int opaque) {
    String token = call.request().text("starting_token");
    if (token.isEmpty()) {
      kept(duty);
      return;
    }
    if (!world.isComplete()) {
      return;
    }
    Set<String> filters = given.get(token);
    judge(
        filters != null,
        call,
        "with a token that no page gave. Send the next_token of an earlier page, as it is.",
        duty,
        opaque);
    if (filters != null) {
      judge(
          filters.contains(filter(call)),
          call,
          "with other filters than the page that gave its token. Keep them for all pages.",
          duty);
    }
  }

  @Override
  void ended(RecordedCall call) {
    boolean ofVolumes = call.operation() == CsiOperation.LIST_VOLUMES;
    if (!ofVolumes && call.operation() != CsiOperation.LIST_SNAPSHOTS) {
      return;
    }
    Map<String, Set<String>> given = ofVolumes ? volumes : snapshots;
    call.answer()
        .map(answer -> answer.text("next_token"))
        .filter(token -> !token.isEmpty())
        .ifPresent(token -> given.computeIfAbsent(token, key -> new HashSet<>()).add(filter(call)));
  }

  private static String filter(RecordedCall call) {
    return WireFields.text(call, "source_volume_id") + "\n" + WireFields.text(call, "snapshot_id");
  }
}
