package io.csi4j.testkit.internal.referee;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.testkit.journal.RecordedCall;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Rules for the pages of listings and their page tokens. */
final class PageRules extends DutyRule {

  /**
   * For each operation and page token, the filters of the requests whose answers contained the
   * token.
   */
  private final Map<String, Set<String>> given = new HashMap<>();

  PageRules(Hearing hearing) {
    super(hearing, "Pages");
  }

  @Override
  void began(RecordedCall call) {
    if (!isListing(call)) {
      return;
    }
    judge(call.request().number("max_entries") >= 0, call, "max_entries");
    String token = call.request().text("starting_token");
    boolean filtered = isJudged(call, "filters");
    if (token.isEmpty()) {
      if (filtered) {
        kept(call, "filters");
      }
    } else if (world.isComplete()) {
      Set<String> filters = given.get(call.operation() + " " + token);
      judge(filters != null, call, "token");
      if (filters != null && filtered) {
        judge(filters.contains(filter(call)), call, "filters");
      }
    }
  }

  @Override
  void ended(RecordedCall call) {
    if (isListing(call)) {
      call.answer()
          .map(answer -> answer.text("next_token"))
          .filter(token -> !token.isEmpty())
          .map(token -> call.operation() + " " + token)
          .ifPresent(key -> given.computeIfAbsent(key, none -> new HashSet<>()).add(filter(call)));
    }
  }

  private static boolean isListing(RecordedCall call) {
    return call.operation() == CsiOperation.LIST_VOLUMES
        || call.operation() == CsiOperation.LIST_SNAPSHOTS
        || call.operation() == CsiOperation.CONTROLLER_LIST_VOLUME_HEALTH;
  }

  private static String filter(RecordedCall call) {
    return WireFields.text(call, "source_volume_id") + "\n" + WireFields.text(call, "snapshot_id");
  }
}
