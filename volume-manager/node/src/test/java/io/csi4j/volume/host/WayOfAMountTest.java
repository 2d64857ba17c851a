package io.csi4j.volume.host;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.jdi.Bootstrap;
import com.sun.jdi.ClassType;
import com.sun.jdi.ReferenceType;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.Connector;
import com.sun.jdi.connect.LaunchingConnector;
import com.sun.jdi.event.BreakpointEvent;
import com.sun.jdi.event.ClassPrepareEvent;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.EventSet;
import com.sun.jdi.event.MethodEntryEvent;
import com.sun.jdi.event.VMDeathEvent;
import com.sun.jdi.event.VMDisconnectEvent;
import com.sun.jdi.request.ClassPrepareRequest;
import com.sun.jdi.request.EventRequest;
import com.sun.jdi.request.MethodEntryRequest;
import io.csi4j.mount.campaign.PlayedInShares;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The classes that an ordinary mount enters, counted by a debugger: what one has to know to know
 * what a mount does. A new one is a decision. Mounts are in memory, and the plugin's own threads do
 * not count.
 */
@Tag("campaign")
@PlayedInShares
class WayOfAMountTest {

  /** Values and the flight recorder's events, which decide nothing. */
  private static final Set<String> VALUES =
      Set.of(
          "BindRequest",
          "CallPolicy",
          "ConnectOptions",
          "CsiCallEvent",
          "KernelText",
          "ManagerSettings",
          "MountFlagPolicy",
          "MountFlags",
          "MountPath",
          "MountPolicy",
          "MountRequest",
          "Operation",
          "PluginBinding",
          "PublishContext",
          "Secrets",
          "SensitiveMap",
          "StateValue",
          "UnknownFields",
          "VolumeContext",
          "VolumeOperationEvent");

  private static final String PROGRAM = OneMount.class.getName();

  /** Code that is no part of a host: the plugin of the test, and messages that protoc made. */
  private static final Pattern OTHERS =
      Pattern.compile("io\\.csi4j\\.testkit\\..*|.*\\.proto\\..*|" + Pattern.quote(PROGRAM));

  /** Of the node module. */
  private static final Set<String> NODE =
      Set.of(
          "VolumeManager",
          "OpenedManager",
          "VolumeEngine",
          "VolumeIndex",
          "VolumeQueue",
          "OperationStart",
          "OperationRun",
          "MountStory",
          "Admission",
          "Inspection",
          "VolumeMemory",
          "RecordCodec",
          "Digests",
          "VolumeReport",
          "EventHub",
          "CleanupSchedule",
          "HostList",
          "DeadMounts",
          "ForeignMounts",
          "MountOrigins",
          "PluginWatch",
          "WantedMounts",
          "VolumeDirectories",
          "IdentityFile",
          "CsiNodePlugin",
          "CsiNodePlugins",
          "NodeCallMapping",
          "SystemKernelMounts");

  /** Of the modules below it. */
  private static final Set<String> BELOW =
      Set.of(
          "ConnectedPlugin",
          "ArrivedAnswer",
          "CallAttempt",
          "CallFuture",
          "CallHeaders",
          "CallPath",
          "CapabilityGate",
          "ConnectionGuard",
          "NodeClient",
          "UnaryCall",
          "WireLog",
          "NodeRequestMapping",
          "ValueMapping",
          "SensitiveValues",
          "SpecFields",
          "CapabilityRules",
          "GeneratedGetter",
          "RequestChecks",
          "Connection",
          "FrameGate",
          "FrameLogSilencer",
          "PeerGate",
          "SafeText",
          "TextEntries",
          "IdRules",
          "ByteSearch",
          "PrintableText",
          "FieldTag",
          "FieldWriter",
          "Names",
          "HashedName",
          "Mailbox",
          "SystemClock",
          "SystemScheduler",
          "CallQueue",
          "PluginLink",
          "CarefulDisk",
          "PluginFacts",
          "PluginProcesses",
          "RealDisk",
          "Journal",
          "LiveState",
          "Ownership",
          "SegmentFiles",
          "WriteTurns",
          "JournalStateStore");

  @Test
  void aMountPassesTwentyEightClassesOfTheNodeModuleAndFortySixBelowIt(@TempDir Path directory)
      throws Exception {
    Set<String> entered = entered(directory);
    entered.removeAll(VALUES);
    assertThat(NODE).hasSize(28);
    assertThat(BELOW).hasSize(46);
    assertThat(entered)
        .containsExactlyInAnyOrderElementsOf(Stream.concat(NODE.stream(), BELOW.stream()).toList());
  }

  /** Returns the top-level classes that are no records, enums or interfaces. */
  private static Set<String> entered(Path directory) throws Exception {
    Set<String> entered = new TreeSet<>();
    Map<Long, String> names = new HashMap<>();
    VirtualMachine machine = launch(directory);
    ClassPrepareRequest program = machine.eventRequestManager().createClassPrepareRequest();
    program.addClassFilter(PROGRAM);
    program.enable();
    MethodEntryRequest entries = machine.eventRequestManager().createMethodEntryRequest();
    entries.addClassFilter("io.csi4j.*");
    entries.setSuspendPolicy(EventRequest.SUSPEND_NONE);
    machine.resume();
    boolean isOver = false;
    while (!isOver) {
      EventSet events = machine.eventQueue().remove();
      for (Event event : events) {
        isOver |= event instanceof VMDeathEvent || event instanceof VMDisconnectEvent;
        if (event instanceof ClassPrepareEvent prepared) {
          stopAt(machine, prepared.referenceType(), "begin");
          stopAt(machine, prepared.referenceType(), "end");
        } else if (event instanceof BreakpointEvent stop) {
          entries.setEnabled(stop.location().method().name().equals("begin"));
        } else if (event instanceof MethodEntryEvent entry) {
          String top = entry.method().declaringType().name().replaceAll("\\$.*", "");
          if (!OTHERS.matcher(top).matches()
              && !names
                  .computeIfAbsent(entry.thread().uniqueID(), it -> entry.thread().name())
                  .startsWith("csi4j-testkit")
              && isClass(machine, top)) {
            entered.add(top.substring(top.lastIndexOf('.') + 1));
          }
        }
      }
      if (!isOver) {
        events.resume();
      }
    }
    assertThat(machine.process().waitFor()).as("the mount").isZero();
    return entered;
  }

  private static VirtualMachine launch(Path directory) throws Exception {
    LaunchingConnector connector = Bootstrap.virtualMachineManager().defaultConnector();
    Map<String, Connector.Argument> words = connector.defaultArguments();
    words.get("main").setValue(PROGRAM + " " + directory);
    words
        .get("options")
        .setValue(
            "-cp "
                + System.getProperty(
                    "surefire.test.class.path", System.getProperty("java.class.path")));
    return connector.launch(words);
  }

  private static void stopAt(VirtualMachine machine, ReferenceType program, String method) {
    machine
        .eventRequestManager()
        .createBreakpointRequest(program.methodsByName(method).get(0).location())
        .enable();
  }

  private static boolean isClass(VirtualMachine machine, String type) {
    return machine.classesByName(type).stream()
        .anyMatch(
            it ->
                it instanceof ClassType known
                    && !known.isEnum()
                    && !known.superclass().name().equals(Record.class.getName()));
  }
}
