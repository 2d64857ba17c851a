package io.csi4j.testkit.cli;

import io.csi4j.mount.model.Holder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A process that holds a mount or its device in use, with the reasons.
 *
 * @param pid the process id
 * @param command the name of the command
 * @param isBusy whether the process keeps the mount itself busy, and not only the device of the
 *     mount
 * @param facts the reasons why the mount or its device is in use, one line each
 */
record HoldingProcess(long pid, String command, boolean isBusy, List<String> facts) {

  HoldingProcess {
    facts = List.copyOf(facts);
  }

  /**
   * Returns the processes in this list of holders.
   *
   * @param shown maximum number of paths to print for one process
   */
  static List<HoldingProcess> of(List<Holder> holders, ManagedPaths names, int shown) {
    Map<Long, HoldingProcess> processes = new LinkedHashMap<>();
    Map<Long, List<Holder.Elsewhere>> elsewhere = new LinkedHashMap<>();
    for (Holder each : holders) {
      if (each instanceof Holder.RunningProcess process) {
        add(processes, process.pid(), process.command().toString(), true, uses(process));
      } else if (each instanceof Holder.Elsewhere mount) {
        elsewhere.computeIfAbsent(mount.pid(), none -> new ArrayList<>()).add(mount);
      }
    }
    elsewhere.forEach(
        (pid, mounts) ->
            add(
                processes,
                pid,
                mounts.get(0).command().toString(),
                false,
                "device in use: mounted in its mount namespace, at "
                    + names.some(mounts.stream().map(Holder.Elsewhere::path).toList(), shown)));
    return List.copyOf(processes.values());
  }

  private static void add(
      Map<Long, HoldingProcess> processes, long pid, String command, boolean busy, String fact) {
    processes.merge(
        pid,
        new HoldingProcess(pid, command, busy, List.of(fact)),
        (first, more) -> {
          List<String> facts = new ArrayList<>(first.facts());
          facts.addAll(more.facts());
          return new HoldingProcess(pid, command, first.isBusy() || more.isBusy(), facts);
        });
  }

  private static String uses(Holder.RunningProcess process) {
    return "busy: "
        + process.uses().stream()
            .sorted()
            .map(use -> use.name().toLowerCase(Locale.ROOT).replace('_', ' '))
            .collect(Collectors.joining(", "));
  }

  /**
   * Returns the reasons and the command of the process. Processes with equal lists are printed as
   * one group.
   */
  List<String> doing() {
    List<String> doing = new ArrayList<>(facts);
    doing.add(command);
    return doing;
  }

  /** Returns the command and the ids of a group of similar processes. */
  static String named(List<HoldingProcess> alike, int shown) {
    String numbers =
        alike.stream()
            .limit(shown)
            .map(each -> Long.toString(each.pid()))
            .collect(Collectors.joining(", "));
    String name = " (" + alike.get(0).command() + ")";
    if (alike.size() == 1) {
      return "process " + numbers + name;
    }
    return "%s processes%s: %s%s"
        .formatted(
            alike.size(),
            name,
            numbers,
            alike.size() > shown ? " and " + (alike.size() - shown) + " more" : "");
  }
}
