package io.csi4j.testkit.cli;

import static java.util.stream.Collectors.joining;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.volume.manager.ManagerView;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.node.PendingCall;
import io.csi4j.volume.node.RecoveryReport;
import io.csi4j.volume.node.ViewedPath;
import io.csi4j.volume.node.VolumeStatus;
import io.csi4j.volume.plugin.PluginFingerprint;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.RegisteredPlugin;
import io.csi4j.volume.state.StateKind;
import io.csi4j.volume.state.StateOwner;
import io.csi4j.volume.state.StateReason;
import io.csi4j.volume.state.Uncertainty;
import io.csi4j.volume.state.journal.JournalView;
import io.csi4j.volume.state.seal.SealedBytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/** The state of a volume manager in words, and as JSON. */
final class StateWords {

  private StateWords() {}

  // ---- what is on record

  /** The volumes on record, and what is owed for them. */
  static List<String> volumes(ManagerView view, Predicate<VolumeIdentity> about) {
    List<String> lines = new ArrayList<>();
    lines.add(head(view));
    lines.addAll(incomplete(view));
    for (VolumeStatus volume : view.volumes()) {
      VolumeIdentity identity = identity(volume);
      if (!about.test(identity)) {
        continue;
      }
      List<String> stand = volume.lines(Integer.MAX_VALUE);
      lines.add(stand.get(0));
      stand.stream().skip(1).map(line -> "  " + line).forEach(lines::add);
      view.pending().stream()
          .filter(owed -> owed.volume().equals(identity))
          .forEach(owed -> lines.add("  owed: " + owed.phrase()));
    }
    if (!view.givenBack().isEmpty()) {
      lines.add(
          counted(view.givenBack().size(), "volume")
              + " given back, and remembered for mounts that come late");
    }
    moving(view).ifPresent(lines::add);
    return lines.stream().map(OneLine::of).toList();
  }

  /** Which volumes did not hold still. */
  private static Optional<String> moving(ManagerView view) {
    return view.moving().isEmpty()
        ? Optional.empty()
        : Optional.of(
            "The manager worked on "
                + counted(view.moving().size(), "volume")
                + " while this was read, so what is said of them may be of two moments: "
                + view.moving().stream().map(VolumeIdentity::toString).collect(joining(", "))
                + ". Look again.");
  }

  private static String head(ManagerView view) {
    int uses = view.volumes().stream().mapToInt(volume -> volume.uses().size()).sum();
    return view.root()
        + ": "
        + counted(view.volumes().size(), "volume")
        + " on record with "
        + counted(uses, "use")
        + "; "
        + owner(view.journal());
  }

  /** The doubts because of which volumes may be missing. */
  private static List<String> incomplete(ManagerView view) {
    return view.journal().state().uncertainties().stream()
        .filter(Uncertainty::hidesUnknownKeys)
        .map(doubt -> "What is on record is incomplete (" + doubt.reason() + "): " + doubt.text())
        .toList();
  }

  private static String owner(JournalView journal) {
    String who =
        journal
            .owner()
            .map(
                owner ->
                    "process "
                        + owner.pid()
                        + ", started "
                        + owner.processStart()
                        + ", epoch "
                        + owner.epoch())
            .orElse("a process that is not on record");
    return journal.isHeld() ? "open in " + who : "not open; last opened by " + who;
  }

  // ---- what is not well

  /** What a person has to look after; nothing if the state is sound. */
  static List<String> trouble(ManagerView view) {
    List<String> lines = new ArrayList<>();
    List<Uncertainty> doubts = view.journal().state().uncertainties();
    doubts.forEach(doubt -> lines.add(doubt.reason() + ": " + doubt.text()));
    view.journal()
        .keptAside()
        .forEach(
            name ->
                lines.add(
                    StateReason.JOURNAL_DAMAGED
                        + ": "
                        + name
                        + " was kept aside when it was found damaged. Delete it when it is of no"
                        + " more use."));
    view.journal()
        .refusal()
        .filter(reason -> reason != StateReason.STATE_IN_USE)
        .ifPresent(reason -> lines.add(reason + ": " + next(reason)));
    long sealed = sealed(view.journal());
    if (sealed > 0) {
      lines.add(
          StateReason.STATE_SEALED
              + ": "
              + counted((int) sealed, "record")
              + " sealed with a key of the host, which this program does not have.");
    }
    findings(view).stream()
        .filter(message -> message.code().severity() != OperatorCode.Severity.INFO)
        .filter(message -> sealed == 0 || message.code() != OperatorCode.RECORD_UNREADABLE)
        .forEach(message -> lines.add(message.line()));
    if (!lines.isEmpty()) {
      moving(view).ifPresent(lines::add);
    }
    return lines.stream().map(OneLine::of).toList();
  }

  /** The findings of a start, but for the doubts of the journal, which it repeats. */
  private static List<OperatorMessage> findings(ManagerView view) {
    List<String> doubted =
        view.journal().state().uncertainties().stream()
            .map(doubt -> doubt.reason().name())
            .toList();
    return view.start().findings().stream()
        .filter(message -> !doubted.contains(message.code().name()))
        .toList();
  }

  private static long sealed(JournalView journal) {
    return journal.state().values().values().stream()
        .filter(value -> SealedBytes.areSealed(value.bytes()))
        .count();
  }

  private static String next(StateReason reason) {
    return OperatorCode.valueOf(reason.name()).next() + ".";
  }

  // ---- why

  /** Each path of a volume, what is owed for it, and what a start would do. */
  static List<String> reasons(ManagerView view, Predicate<VolumeIdentity> about) {
    List<String> lines = new ArrayList<>();
    lines.add(head(view));
    lines.addAll(incomplete(view));
    view.paths().stream()
        .map(ViewedPath::volume)
        .distinct()
        .filter(about)
        .forEach(
            volume -> {
              lines.add(volume.toString());
              view.paths().stream()
                  .filter(path -> path.volume().equals(volume))
                  .forEach(path -> path(path, lines));
              view.pending().stream()
                  .filter(owed -> owed.volume().equals(volume))
                  .forEach(owed -> lines.add("  owed: " + owed.phrase()));
            });
    lines.add("A start here would:");
    start(view).forEach(line -> lines.add("  - " + line));
    return lines.stream().map(OneLine::of).toList();
  }

  private static void path(ViewedPath path, List<String> lines) {
    lines.add("  " + path.use().map(VolumeUse::phrase).orElse("staging") + ", at " + path.path());
    lines.add("    on record: " + path.phrase(path.recorded()));
    lines.add("    mounted: " + path.mounted().orElse("nothing"));
    path.pending()
        .ifPresent(call -> lines.add("    the plugin may still be working on " + call.rpcName()));
    if (path.found() != path.recorded()) {
      lines.add("    after a start: " + path.phrase(path.found()));
    }
  }

  /** One path, for a person who asks why it is mounted. */
  static List<String> why(ViewedPath path) {
    List<String> lines = new ArrayList<>();
    lines.add(
        "it is "
            + path.use()
                .map(use -> "the target of " + use.phrase() + " in ")
                .orElse("the staging path of ")
            + path.volume());
    lines.add("on record: " + path.phrase(path.recorded()));
    if (path.found() != path.recorded()) {
      lines.add("after a start: " + path.phrase(path.found()));
    }
    return lines;
  }

  private static List<String> start(ManagerView view) {
    List<String> lines = new ArrayList<>();
    Optional<StateReason> refusal = view.journal().refusal();
    if (refusal.isPresent()) {
      lines.add(
          "be refused with "
              + refusal.get()
              + (refusal.get() == StateReason.STATE_IN_USE
                  ? ", as long as the manager is open; after it had ended:"
                  : "; if it were accepted:"));
    }
    RecoveryReport start = view.start();
    if (!start.adopted().isEmpty()) {
      lines.add(
          "take over "
              + counted(start.adopted().size(), "use that is", "uses that are")
              + " mounted as recorded");
    }
    if (!start.inDoubt().isEmpty()) {
      lines.add(
          "call no plugin for "
              + counted(start.inDoubt().size(), "use")
              + " in doubt, until the host has said which uses it still wants");
    }
    view.pending().stream()
        .filter(PendingCall::certain)
        .forEach(
            owed ->
                lines.add(
                    "go on giving back, once the host has said what it wants: "
                        + owed.call().rpcName()
                        + " for "
                        + owed.use().map(VolumeUse::phrase).orElse("the staging")
                        + " of "
                        + owed.volume()));
    findings(view).forEach(message -> lines.add("tell " + message.line()));
    view.journal()
        .state()
        .uncertainties()
        .forEach(doubt -> lines.add("tell " + doubt.reason() + ": " + doubt.text()));
    if (lines.isEmpty()) {
      lines.add("find nothing to do");
    }
    return lines;
  }

  // ---- plugins and claims

  /** The instances of plugins on record; their health is not on record. */
  static List<String> plugins(ManagerView view) {
    List<String> lines = new ArrayList<>();
    for (RegisteredPlugin plugin : view.plugins()) {
      PluginRegistration registration = plugin.registration();
      lines.add("plugin '" + registration.id() + "', instance '" + registration.instance() + "'");
      lines.add("  endpoint: " + registration.binding().endpoint());
      registration
          .binding()
          .seesRootAt()
          .ifPresent(path -> lines.add("  sees the directory at: " + path));
      lines.add("  roles: " + words(registration.roles()));
      plugin.fingerprint().ifPresent(said -> fingerprint(said, lines));
      lines.add("  policy: " + registration.binding().policy());
    }
    long unread =
        records(view.journal(), StateKind.PLUGIN)
            - view.plugins().stream().map(it -> it.registration().id()).distinct().count();
    if (unread > 0) {
      lines.add(counted((int) unread, "record") + " of plugins cannot be read here");
    } else if (lines.isEmpty()) {
      lines.add("no plugin is on record");
    }
    return lines.stream().map(OneLine::of).toList();
  }

  private static void fingerprint(PluginFingerprint said, List<String> lines) {
    lines.add(
        "  said of itself: name '"
            + said.name()
            + "', version '"
            + said.version()
            + "', at "
            + said.taken());
    lines.add("  the plugin offers: " + words(said.plugin().offered()));
    said.controller()
        .ifPresent(can -> lines.add("  its controller offers: " + words(can.offered())));
    said.node()
        .ifPresent(node -> lines.add("  its node offers: " + words(node.capabilities().offered())));
  }

  private static String words(Set<? extends Enum<?>> names) {
    return names.isEmpty()
        ? "nothing"
        : names.stream().map(Enum::name).sorted().collect(joining(", "));
  }

  /** The claims on record under which volumes are used. */
  static List<String> claims(ManagerView view) {
    List<String> lines = new ArrayList<>();
    view.claims()
        .forEach(
            claim ->
                lines.add(
                    claim.volume()
                        + ", "
                        + claim.use().phrase()
                        + ": epoch "
                        + claim.epoch()
                        + (claim.confirmed()
                            ? ", confirmed here once"
                            : ", not confirmed here yet")));
    long sealed = sealed(view.journal());
    if (sealed > 0) {
      lines.add(counted((int) sealed, "record") + " sealed, and may be under claims");
    } else if (lines.isEmpty()) {
      lines.add("no claim is on record");
    }
    return lines.stream().map(OneLine::of).toList();
  }

  private static long records(JournalView journal, StateKind kind) {
    return journal.state().values().keySet().stream().filter(key -> key.kind() == kind).count();
  }

  // ---- JSON

  /** The whole view as one object. */
  static Json json(ManagerView view) {
    return new Json()
        .with("root", view.root())
        .with("journal", json(view.journal()))
        .with("volumes", view.volumes().stream().map(StateWords::json).toList())
        .with("given_back", view.givenBack().stream().map(StateWords::json).toList())
        .with("paths", view.paths().stream().map(StateWords::json).toList())
        .with("owed", view.pending().stream().map(StateWords::json).toList())
        .with("start", json(view.start()))
        .with("moving", view.moving().stream().map(StateWords::json).toList())
        .with("trouble", trouble(view));
  }

  static Json json(JournalView journal) {
    Json json =
        new Json()
            .with("directory", journal.directory())
            .with("open", journal.isHeld())
            .with("refusal", journal.refusal().map(Enum::name).orElse(null));
    journal.owner().ifPresent(owner -> json.with("owner", json(owner)));
    for (StateKind kind : StateKind.values()) {
      json.with(kind.name().toLowerCase(Locale.ROOT) + "_records", records(journal, kind));
    }
    return json.with(
            "doubts",
            journal.state().uncertainties().stream()
                .map(
                    doubt ->
                        new Json()
                            .with("reason", doubt.reason())
                            .with("text", doubt.text())
                            .with("keys", doubt.keys().stream().map(Object::toString).toList())
                            .with("hides_unknown_keys", doubt.hidesUnknownKeys()))
                .toList())
        .with("kept_aside", journal.keptAside());
  }

  private static Json json(StateOwner owner) {
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
        .with("fs_type", volume.fsType().orElse(null))
        .with("staging", volume.staging())
        .with(
            "uses",
            volume.uses().stream()
                .map(
                    use ->
                        json(use.key())
                            .with("status", use.status())
                            .with("read_only", use.readOnly())
                            .with("path", use.path()))
                .toList())
        .with("leaving", volume.leaving().stream().map(StateWords::json).toList())
        .with(
            "abandoned",
            volume.abandoned().entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .map(each -> json(each.getKey()).with("reason", each.getValue()))
                .toList());
  }

  /** One path. */
  static Json json(ViewedPath path) {
    Json json = json(path.volume());
    path.use().ifPresent(use -> json.with("use", json(use)));
    return json.with("path", path.path())
        .with("recorded", path.recorded())
        .with("found", path.found())
        .with("pending", path.pending().map(CsiOperation::rpcName).orElse(null))
        .with("mounted", path.mounted().orElse(null));
  }

  private static Json json(PendingCall owed) {
    Json json = json(owed.volume());
    owed.use().ifPresent(use -> json.with("use", json(use)));
    return json.with("call", owed.call().rpcName())
        .with("certain", owed.certain())
        .with("why", owed.why());
  }

  private static Json json(RecoveryReport start) {
    return new Json()
        .with("adopted", start.adopted().stream().map(StateWords::json).toList())
        .with("in_doubt", start.inDoubt().stream().map(StateWords::json).toList())
        .with("going", start.going().stream().map(StateWords::json).toList())
        .with(
            "findings",
            start.findings().stream()
                .map(
                    message ->
                        new Json()
                            .with("code", message.code())
                            .with("number", message.code().number())
                            .with("severity", message.code().severity())
                            .with("text", message.line()))
                .toList());
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

  // ---- words

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
