package io.csi4j.testkit.cli;

import static java.util.stream.Collectors.joining;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.volume.manager.ManagerView;
import io.csi4j.volume.manager.ManagerView.PendingCall;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.node.RecoveryReport;
import io.csi4j.volume.node.VolumeStatus;
import io.csi4j.volume.state.StateException;
import io.csi4j.volume.state.StateKey;
import io.csi4j.volume.state.StateStore;
import io.csi4j.volume.state.Uncertainty;
import io.csi4j.volume.state.journal.JournalView;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Formats the state of a volume manager as text and as JSON. */
final class StateWords {

  /**
   * Time after which an operator should investigate failed work, although the manager retries it.
   */
  private static final Duration FOR_LONG = Duration.ofMinutes(5);

  private StateWords() {}

  // ---- records

  /** Returns the recorded volumes and their pending cleanup, as lines of text. */
  static List<String> volumes(ManagerView view, Predicate<VolumeIdentity> about) {
    List<String> lines = head(view);
    for (VolumeStatus volume : view.volumes()) {
      if (about.test(identity(volume))) {
        List<String> status = volume.lines(Integer.MAX_VALUE);
        lines.add(status.get(0));
        status.stream().skip(1).forEach(line -> lines.add("  " + line));
        owed(view, identity(volume), lines);
      }
    }
    if (!view.givenBack().isEmpty()) {
      lines.add(
          counted(view.givenBack().size(), "volume") + " released, and remembered for late mounts");
    }
    moving(view, lines);
    return lines;
  }

  private static void owed(ManagerView view, VolumeIdentity volume, List<String> lines) {
    view.pending().stream()
        .filter(owed -> owed.volume().equals(volume))
        .forEach(owed -> lines.add("  pending: " + owed.phrase()));
    view.troubles().stream()
        .filter(trouble -> trouble.volume().equals(volume))
        .forEach(
            trouble ->
                lines.add("  failing since " + trouble.since() + ": " + trouble.message().line()));
  }

  /** Adds a line with the volumes that the manager changed during the reading. */
  private static void moving(ManagerView view, List<String> lines) {
    if (!view.moving().isEmpty()) {
      lines.add(
          ("The manager changed %s during the reading, so their lines may be inconsistent: %s. Run"
                  + " the command again.")
              .formatted(
                  counted(view.moving().size(), "volume"),
                  view.moving().stream().map(VolumeIdentity::toString).collect(joining(", "))));
    }
  }

  /**
   * Returns a line with the number of records, and a line for each reason why records may be
   * missing.
   */
  private static List<String> head(ManagerView view) {
    List<String> lines = new ArrayList<>();
    int uses = view.volumes().stream().mapToInt(volume -> volume.uses().size()).sum();
    lines.add(
        "%s: %s with %s; %s"
            .formatted(
                view.root(),
                counted(view.volumes().size(), "volume"),
                counted(uses, "use"),
                owner(view.journal())));
    doubts(view)
        .filter(Uncertainty::hidesUnknownKeys)
        .forEach(
            doubt ->
                lines.add(
                    "The records are incomplete (%s): %s".formatted(doubt.reason(), doubt.text())));
    return lines;
  }

  private static Stream<Uncertainty> doubts(ManagerView view) {
    return view.journal().state().uncertainties().stream();
  }

  private static String owner(JournalView journal) {
    String who =
        journal
            .owner()
            .map(
                owner ->
                    "process %s, started %s, epoch %s"
                        .formatted(owner.pid(), owner.processStart(), owner.epoch()))
            .orElse("an unknown process");
    return journal.isHeld() ? "open in " + who : "not open; last opened by " + who;
  }

  // ---- problems

  /** Returns the problems that need attention; empty if there are no problems. */
  static List<String> trouble(ManagerView view) {
    List<String> lines = new ArrayList<>();
    doubts(view).forEach(doubt -> lines.add(doubt.reason() + ": " + doubt.text()));
    view.journal()
        .keptAside()
        .forEach(
            name ->
                lines.add(
                    "%s: the damaged file %s was kept. Delete it when you no longer need it."
                        .formatted(StateException.Reason.JOURNAL_DAMAGED, name)));
    view.journal()
        .refusal()
        .filter(reason -> reason != StateException.Reason.STATE_IN_USE)
        .map(reason -> reason + ": " + ManagerView.code(reason).next() + ".")
        .ifPresent(lines::add);
    int sealed = sealed(view.journal());
    if (sealed > 0) {
      lines.add(
          "%s: %s sealed with a key of the host, which this program does not have."
              .formatted(StateException.Reason.STATE_SEALED, counted(sealed, "record")));
    }
    Instant longAgo = Instant.now().minus(FOR_LONG);
    view.troubles().stream()
        .filter(trouble -> trouble.since().isBefore(longAgo))
        .forEach(
            trouble ->
                lines.add(
                    trouble.message().line() + " It has failed since " + trouble.since() + "."));
    findings(view)
        .filter(message -> message.code().severity() != OperatorCode.Severity.INFO)
        .filter(message -> sealed == 0 || message.code() != OperatorCode.RECORD_UNREADABLE)
        .forEach(message -> lines.add(message.line()));
    if (!lines.isEmpty()) {
      moving(view, lines);
    }
    return lines;
  }

  /**
   * Returns the findings of a start of the manager. Findings that only repeat an uncertain entry of
   * the journal are omitted.
   */
  private static Stream<OperatorMessage> findings(ManagerView view) {
    return view.start().findings().stream()
        .filter(
            message ->
                doubts(view)
                    .noneMatch(doubt -> ManagerView.code(doubt.reason()) == message.code()));
  }

  private static int sealed(JournalView journal) {
    return (int)
        journal.state().values().values().stream().filter(value -> value.isSealed()).count();
  }

  // ---- explanations

  /** Returns the paths of each volume, its pending cleanup, and the actions of the next start. */
  static List<String> reasons(ManagerView view, Predicate<VolumeIdentity> about) {
    List<String> lines = head(view);
    view.paths().stream()
        .map(ManagerView.VolumePath::volume)
        .distinct()
        .filter(about)
        .forEach(
            volume -> {
              lines.add(volume.toString());
              view.paths().stream()
                  .filter(path -> path.volume().equals(volume))
                  .forEach(path -> path(path, lines));
              owed(view, volume, lines);
            });
    lines.add("A start here would:");
    start(view).forEach(line -> lines.add("  - " + line));
    return lines;
  }

  private static void path(ManagerView.VolumePath path, List<String> lines) {
    lines.add("  " + path.use().map(VolumeUse::phrase).orElse("staging") + ", at " + path.path());
    lines.add("    recorded: " + path.phrase(path.recorded()));
    lines.add("    mounted: " + path.mounted().orElse("nothing"));
    path.pending()
        .ifPresent(call -> lines.add("    the plugin may still be working on " + call.rpcName()));
    if (path.found() != path.recorded()) {
      lines.add("    after a start: " + path.phrase(path.found()));
    }
  }

  /** Explains why one path is mounted. */
  static List<String> why(ManagerView.VolumePath path) {
    List<String> lines = new ArrayList<>();
    lines.add(
        "it is "
            + path.use()
                .map(use -> "the target of " + use.phrase() + " in ")
                .orElse("the staging path of ")
            + path.volume());
    lines.add("recorded: " + path.phrase(path.recorded()));
    if (path.found() != path.recorded()) {
      lines.add("after a start: " + path.phrase(path.found()));
    }
    return lines;
  }

  private static List<String> start(ManagerView view) {
    List<String> lines = new ArrayList<>();
    int adopted = view.start().adopted().size();
    if (adopted > 0) {
      lines.add(
          "take over %s mounted as recorded"
              .formatted(counted(adopted, "use that is", "uses that are")));
    }
    int doubted = view.start().inDoubt().size();
    if (doubted > 0) {
      lines.add(
          "call no plugin for %s with uncertain state until the host reports which uses it wants"
              .formatted(counted(doubted, "use")));
    }
    view.pending().stream()
        .filter(PendingCall::certain)
        .map(
            owed ->
                "continue a release once the host reports which uses it wants: %s for %s of %s"
                    .formatted(
                        owed.call().rpcName(),
                        owed.use().map(VolumeUse::phrase).orElse("the staging"),
                        owed.volume()))
        .forEach(lines::add);
    findings(view).forEach(message -> lines.add("report " + message.line()));
    doubts(view).forEach(doubt -> lines.add("report " + doubt.reason() + ": " + doubt.text()));
    view.journal()
        .refusal()
        .map(reason -> refused(reason, lines.isEmpty()))
        .ifPresent(line -> lines.add(0, line));
    return lines.isEmpty() ? List.of("have nothing to do") : lines;
  }

  private static String refused(StateException.Reason reason, boolean isAll) {
    boolean isOpen = reason == StateException.Reason.STATE_IN_USE;
    return "be refused with "
        + reason
        + (isOpen ? ", while the manager is open" : "")
        + (isAll ? "" : isOpen ? "; after it has ended:" : "; if it were accepted:");
  }

  // ---- plugins and claims

  /** Returns the recorded plugin instances. The records do not contain their health. */
  static List<String> plugins(ManagerView view) {
    List<String> lines = new ArrayList<>();
    view.plugins().forEach(plugin -> lines.addAll(plugin.lines()));
    long unread =
        records(view.journal(), StateKey.Kind.PLUGIN)
            - view.plugins().stream().map(it -> it.registration().id()).distinct().count();
    if (unread > 0) {
      lines.add(counted((int) unread, "record") + " of plugins cannot be read here");
    }
    return lines.isEmpty() ? List.of("no plugin is recorded") : lines;
  }

  /** Returns the recorded claims that permit the uses of volumes. */
  static List<String> claims(ManagerView view) {
    List<String> lines =
        new ArrayList<>(view.claims().stream().map(ManagerView.Claim::phrase).toList());
    int sealed = sealed(view.journal());
    if (sealed > 0) {
      lines.add(counted(sealed, "record") + " sealed, possibly claims");
    }
    return lines.isEmpty() ? List.of("no claim is recorded") : lines;
  }

  private static long records(JournalView journal, StateKey.Kind kind) {
    return journal.state().values().keySet().stream().filter(key -> key.kind() == kind).count();
  }

  // ---- JSON

  /** Returns the view as one JSON object with the selected volumes. */
  static Json json(ManagerView view, Predicate<VolumeIdentity> about) {
    return new Json()
        .with("root", view.root())
        .with("journal", json(view.journal()))
        .list("volumes", only(view.volumes(), StateWords::identity, about), StateWords::json)
        .list("given_back", only(view.givenBack(), it -> it, about), StateWords::json)
        .list("paths", only(view.paths(), ManagerView.VolumePath::volume, about), StateWords::json)
        .list("owed", only(view.pending(), PendingCall::volume, about), StateWords::json)
        .list(
            "failing", only(view.troubles(), ManagerView.Trouble::volume, about), StateWords::json)
        .with("start", json(view.start()))
        .list("moving", only(view.moving(), it -> it, about), StateWords::json)
        .with("trouble", trouble(view));
  }

  private static <T> List<T> only(
      List<T> all, Function<T, VolumeIdentity> volume, Predicate<VolumeIdentity> about) {
    return all.stream().filter(each -> about.test(volume.apply(each))).toList();
  }

  private static Json json(ManagerView.Trouble trouble) {
    return json(trouble.volume())
        .with("since", trouble.since())
        .with("message", json(trouble.message()));
  }

  static Json json(JournalView journal) {
    Json json =
        new Json()
            .with("directory", journal.directory())
            .with("open", journal.isHeld())
            .with("refusal", journal.refusal())
            .with("owner", journal.owner().map(StateWords::json));
    for (StateKey.Kind kind : StateKey.Kind.values()) {
      json.with(kind.name().toLowerCase(Locale.ROOT) + "_records", records(journal, kind));
    }
    return json.list("doubts", journal.state().uncertainties(), StateWords::json)
        .with("kept_aside", journal.keptAside());
  }

  private static Json json(Uncertainty doubt) {
    return new Json()
        .with("reason", doubt.reason())
        .with("text", doubt.text())
        .with("keys", doubt.keys())
        .with("hides_unknown_keys", doubt.hidesUnknownKeys());
  }

  private static Json json(StateStore.Owner owner) {
    return new Json()
        .with("pid", owner.pid())
        .with("process_start", owner.processStart())
        .with("epoch", owner.epoch())
        .with("host", owner.host().host())
        .with("boot", owner.host().boot())
        .with("mount_namespace", owner.host().mountNamespace());
  }

  private static Json json(VolumeStatus volume) {
    return json(identity(volume))
        .with("block", volume.block())
        .with("access_mode", volume.accessMode())
        .with("fs_type", volume.fsType())
        .with("staging", volume.staging())
        .list("uses", volume.uses(), StateWords::json)
        .list("leaving", volume.leaving(), StateWords::json)
        .with(
            "abandoned",
            volume.abandoned().entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .map(each -> json(each.getKey()).with("reason", each.getValue()))
                .toList());
  }

  private static Json json(VolumeStatus.Use use) {
    return json(use.key())
        .with("status", use.status())
        .with("read_only", use.readOnly())
        .with("path", use.path());
  }

  /** Returns one path as a JSON object. */
  static Json json(ManagerView.VolumePath path) {
    return json(path.volume())
        .with("use", path.use().map(StateWords::json))
        .with("path", path.path())
        .with("recorded", path.recorded())
        .with("found", path.found())
        .with("pending", path.pending().map(CsiOperation::rpcName))
        .with("mounted", path.mounted());
  }

  private static Json json(PendingCall owed) {
    return json(owed.volume())
        .with("use", owed.use().map(StateWords::json))
        .with("call", owed.call().rpcName())
        .with("unless_wanted", !owed.certain())
        .with("why", owed.why());
  }

  private static Json json(RecoveryReport start) {
    return new Json()
        .list("adopted", start.adopted(), StateWords::json)
        .list("in_doubt", start.inDoubt(), StateWords::json)
        .list("going", start.going(), StateWords::json)
        .list("findings", start.findings(), StateWords::json);
  }

  private static Json json(OperatorMessage message) {
    return new Json()
        .with("code", message.code())
        .with("number", message.code().number())
        .with("severity", message.code().severity())
        .with("text", message.line());
  }

  private static Json json(VolumeIdentity volume) {
    return new Json().with("plugin", volume.plugin()).with("handle", volume.handle());
  }

  private static Json json(VolumeUse use) {
    return new Json()
        .with("namespace", use.volume().namespace())
        .with("volume", use.volume().id())
        .with("workload", use.workload());
  }

  // ---- texts

  private static VolumeIdentity identity(VolumeStatus volume) {
    return new VolumeIdentity(volume.plugin(), volume.handle());
  }

  static String counted(int count, String what) {
    return counted(count, what, what + "s");
  }

  static String counted(int count, String one, String many) {
    return (count == 0 ? "no" : count) + " " + (count == 1 ? one : many);
  }
}
