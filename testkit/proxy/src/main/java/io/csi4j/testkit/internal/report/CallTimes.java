package io.csi4j.testkit.internal.report;

import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeId;
import io.csi4j.testkit.journal.CallEnd;
import io.csi4j.testkit.journal.RecordedCall;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Draws calls over time, and describes how each ended. */
final class CallTimes {

  private static final DateTimeFormatter CLOCK =
      DateTimeFormatter.ofPattern("HH:mm:ss.SSS", Locale.ROOT).withZone(ZoneOffset.UTC);

  private static final int ROWS = 60;
  private static final int DRAWN = 5_000;
  private static final int LEFT = 206;
  private static final int WIDTH = 1_100;
  private static final int ROW = 24;
  private static final int AXIS = 26;
  private static final int TICKS = 6;
  private static final int NAME_LIMIT = 26;
  private static final String NO_VOLUME = "no volume";

  private final List<RecordedCall> calls;
  private final Instant first;
  private final long nanos;

  CallTimes(List<RecordedCall> calls) {
    this.calls = calls;
    first =
        calls.stream()
            .map(RecordedCall::began)
            .min(Comparator.naturalOrder())
            .orElse(Instant.EPOCH);
    Instant last =
        calls.stream()
            .map(call -> call.ended().orElse(call.began()))
            .max(Comparator.naturalOrder())
            .orElse(Instant.EPOCH);
    nanos = Math.max(1_000_000, Duration.between(first, last).toNanos());
  }

  Instant first() {
    return first;
  }

  Duration span() {
    return Duration.ofNanos(nanos);
  }

  // Texts.

  static String clock(Instant time) {
    return CLOCK.format(time);
  }

  static Duration taken(RecordedCall call) {
    return Duration.between(call.began(), call.ended().orElse(call.began()));
  }

  /** Formats a duration for a reader: {@code 0.4 ms}, {@code 12 ms}, {@code 3.4 s}. */
  static String words(Duration time) {
    double millis = time.toNanos() / 1e6;
    if (millis < 10) {
      return String.format(Locale.ROOT, "%.2f ms", millis);
    }
    if (millis < 1000) {
      return String.format(Locale.ROOT, "%.0f ms", millis);
    }
    return millis < 120_000
        ? String.format(Locale.ROOT, "%.1f s", millis / 1e3)
        : String.format(Locale.ROOT, "%.0f min", millis / 6e4);
  }

  /** The end of a call: its kind, as named in the style sheet, and a description. */
  record End(String kind, String words) {}

  static End end(RecordedCall call) {
    CallEnd end = call.end().orElse(null);
    String work = call.worked() ? ", its work done" : "";
    if (end == null) {
      return new End("open", "in flight" + work);
    }
    if (end instanceof CallEnd.Answered) {
      return new End("ok", "OK");
    }
    if (end instanceof CallEnd.Failed failed) {
      StatusCode code = StatusCode.ofValue(failed.code());
      String name = code.value() == failed.code() ? code.name() : "code " + failed.code();
      return new End("failed", name + work);
    }
    return end instanceof CallEnd.Broken
        ? new End("broken", "connection broke" + work)
        : new End("abandoned", "caller gave up" + work);
  }

  static String name(RecordedCall call) {
    return "#" + call.number() + " " + call.operation().rpcName();
  }

  static String volume(RecordedCall call) {
    return call.volume().map(VolumeId::value).orElse("");
  }

  // Drawings.

  /** Draws the time line: a row for each volume, in the order of the first call. */
  Html timeline() {
    Map<String, List<RecordedCall>> rows = new LinkedHashMap<>();
    rows.put("", calls.stream().filter(call -> call.volume().isEmpty()).toList());
    for (RecordedCall call : calls) {
      if (call.volume().isPresent() && rows.size() <= ROWS) {
        rows.computeIfAbsent(
            volume(call),
            volume -> calls.stream().filter(each -> volume(each).equals(volume)).toList());
      }
    }
    if (rows.getOrDefault("", List.of()).isEmpty()) {
      rows.remove("");
    }
    int height = rows.size() * ROW + AXIS;
    Html svg = open("Calls by volume", height);
    grid(svg, rows.size() * ROW);
    int drawn = 0;
    int index = 0;
    for (Map.Entry<String, List<RecordedCall>> row : rows.entrySet()) {
      int top = index++ * ROW;
      String name = row.getKey().isEmpty() ? NO_VOLUME : row.getKey();
      svg.add(
          "<text x='6' y='%s'" + (row.getKey().isEmpty() ? " class='dim'" : "") + ">", top + 16);
      svg.add("<title>%s</title>%s</text>", name, shortened(name));
      for (RecordedCall call : row.getValue()) {
        if (drawn++ < DRAWN) {
          bar(svg, call, top);
        }
      }
    }
    return svg.add("</svg>");
  }

  /** Returns a note if the time line leaves something out. */
  Optional<String> leftOut() {
    long volumes =
        calls.stream().map(CallTimes::volume).filter(id -> !id.isEmpty()).distinct().count();
    if (volumes > ROWS) {
      return Optional.of("The first " + ROWS + " of " + volumes + " volumes are drawn.");
    }
    return calls.size() > DRAWN
        ? Optional.of(DRAWN + " of " + calls.size() + " calls are drawn.")
        : Optional.empty();
  }

  private void bar(Html svg, RecordedCall call, int top) {
    double from = x(call.began());
    double width = Math.max(2, call.ended().map(this::x).orElse((double) WIDTH) - from);
    String took = call.ended().isPresent() ? ", " + words(taken(call)) : "";
    svg.add("<rect class='%s' x='%.1f' y='%d' ", end(call).kind(), from, top + 5)
        .add("width='%.1f' height='%d' rx='1.5'>", width, ROW - 10)
        .add("<title>%s, %s%s, at ", name(call), end(call).words(), took)
        .add("%s</title></rect>", clock(call.began()));
  }

  /** Draws the number of calls in flight over time. */
  Html inFlight() {
    TreeMap<Instant, Integer> steps = new TreeMap<>();
    for (RecordedCall call : calls) {
      steps.merge(call.began(), 1, Integer::sum);
      call.ended().ifPresent(at -> steps.merge(at, -1, Integer::sum));
    }
    int most = 0;
    int open = 0;
    for (int step : steps.values()) {
      open += step;
      most = Math.max(most, open);
    }
    int height = 110;
    Html svg = open("Calls in flight", height + AXIS);
    grid(svg, height);
    svg.add("<text class='dim' x='6' y='14'>%s at most</text>", most);
    Html path = new Html().add("M%s %s", LEFT, height);
    open = 0;
    for (Map.Entry<Instant, Integer> step : steps.entrySet()) {
      open += step.getValue();
      double y = height - (height - 8.0) * open / Math.max(1, most);
      path.add("H%.1fV%.1f", x(step.getKey()), y);
    }
    path.add("H%sV%sZ", WIDTH, height);
    return svg.add("<path class='area' d='%s'/></svg>", path);
  }

  private static Html open(String label, int height) {
    return new Html()
        .add("<svg role='img' aria-label='%s' viewBox='0 0 %s %s'>", label, WIDTH + 10, height);
  }

  private void grid(Html svg, int height) {
    for (int i = 0; i <= TICKS; i++) {
      double x = LEFT + (WIDTH - LEFT) * (double) i / TICKS;
      String anchor = i == TICKS ? "end" : "middle";
      String label = i == 0 ? "0" : words(Duration.ofNanos(nanos * i / TICKS));
      svg.add("<line class='grid' x1='%.1f' y1='0' x2='%.1f' y2='%d'/>", x, x, height)
          .add("<text class='dim' x='%.1f' y='%d' ", x, height + 18)
          .add("text-anchor='%s'>%s</text>", anchor, label);
    }
  }

  private double x(Instant time) {
    return LEFT + (WIDTH - LEFT) * (double) Duration.between(first, time).toNanos() / nanos;
  }

  private static String shortened(String name) {
    String shown = SafeText.escape(name);
    return shown.length() <= NAME_LIMIT ? shown : shown.substring(0, NAME_LIMIT - 1) + "…";
  }
}
