package io.csi4j.volume.model;

import io.csi4j.client.internal.text.Rows;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Codes of events that an operator needs to know about. Names and numbers are stable, because
 * people search for them. The page {@code docs/operator-codes.md} is generated from this table and
 * gives the next step for each code. Numbers are never reused. The first digit of a number is the
 * chapter of the code.
 *
 * <p>The texts of all codes are in the file {@code operator-codes.tsv} in the package of this
 * class. Each row has the number, the name, the severity, the meaning, what is safe now, and the
 * next step.
 *
 * @since 1.0
 */
public enum OperatorCode {
  // 1xx: start of the manager
  ADOPTED(101),
  RESUMED(102),
  ROLLED_BACK(103),
  RELEASE_RESUMED(104),
  ORPHAN_CLEANED(105),
  REBOOT_DETECTED(106),
  NAMESPACE_CHANGED(107),
  WAITING_FOR_HOST(108),
  REQUEST_NEEDED(109),
  RECORD_UNREADABLE(110),
  JOURNAL_OLDER_THAN_KERNEL(111),
  STATE_REBUILT(112),
  SIDECAR_REPAIRED(113),

  // 2xx: the state on disk; the names match the constants of StateException.Reason
  STATE_IN_USE(201),
  STATE_TAKEN_OVER(202),
  STATE_FROM_NEWER_VERSION(203),
  STATE_FROM_OTHER_HOST(204),
  STATE_FS_UNSUITED(205),
  STATE_NOT_USABLE(206),
  STATE_DISK_FULL(207),
  STATE_READ_ONLY(208),
  JOURNAL_SYNC_FAILED(209),
  TOO_MANY_FILES(210),
  STATE_VALUE_TOO_LARGE(211),
  STATE_CLOSED(212),
  JOURNAL_TAIL_DROPPED(213),
  JOURNAL_DAMAGED(214),
  JOURNAL_TRUNCATED(215),
  JOURNAL_ORDER(216),
  JOURNAL_REPLACED(217),
  STATE_MISSING(218),
  MODE_FIXED(219),
  STATE_SEALED(220),

  // 3xx: the plugin
  PLUGIN_NOT_REGISTERED(301),
  PLUGIN_NOT_UP(302),
  PLUGIN_NOT_READY(303),
  PLUGIN_SOCKET_STALE(304),
  PLUGIN_SOCKET_DENIED(305),
  CAPABILITIES_UNKNOWN(306),
  CAPABILITY_LOST(307),
  CAPABILITY_GAINED(308),
  PLUGIN_REPLACED(309),
  PLUGIN_FORGOT(310),
  CLEANUP_NEEDS_HELP(311),
  PLUGIN_GONE(312),
  PLUGIN_NAME_CHANGED(313),
  PLUGIN_PATH_BUDGET(314),
  NODE_VOLUME_LIMIT(315),
  PLUGIN_UNHEALTHY(316),
  PLUGIN_FLAPPING(317),
  PLUGIN_START_TIMEOUT(318),
  PLUGIN_EXITED(319),
  PLUGIN_DUPLICATE(320),
  PLUGIN_IN_USE(321),
  PLUGIN_DRAINING(322),
  NODE_ID_CHANGED(323),
  PLUGIN_SAYS_NONSENSE(324),
  REGISTRATION_REFUSED(325),
  REGISTRATION_SILENT(326),
  PLUGIN_STOPPED(327),
  PLUGIN_CONFIG_REFUSED(328),
  STORAGE_UNREACHABLE(329),
  STORAGE_DEGRADED(330),
  REGISTRATION_DIRECTORY(331),
  STORAGE_WELL_AGAIN(332),
  RETRIES_HELD_BACK(333),
  NODE_LIMIT_CHANGED(334),
  NODE_TOPOLOGY_CHANGED(335),
  PLUGIN_NAME_DIFFERS(336),
  PLUGIN_SOCKET_TOO_LONG(337),

  // 4xx: the kernel's mount table
  FOREIGN_MOUNT(401),
  STILL_MOUNTED(402),
  UNEXPECTED_MOUNT(403),
  MOUNT_FLAGS_DIFFER(404),
  STACKED_MOUNTS(405),
  NOT_A_DEVICE(406),
  DEVICE_CHANGED(407),
  MOUNT_LOST(408),
  STAGING_LOST(409),
  TARGET_BUSY(410),
  UNKNOWN_MOUNT(411),
  MOUNT_NOT_VISIBLE(412),
  MOUNT_BROKEN(413),
  MOUNT_UNRESPONSIVE(414),
  UNMOUNT_FORCED(415),
  LAZY_UNMOUNT_PENDING(416),
  ROOT_OVERMOUNTED(417),
  ROOT_NOT_SHARED(418),
  MOUNT_TABLE_UNREADABLE(419),
  MOUNT_DEAD(421),
  MOUNT_RESTORED(422),
  MOUNT_IS_NOT_ITS_OWN(423),
  HOST_DISK_SHOWN(424),
  MOUNTED_ELSEWHERE(425),
  DEVICE_NOT_HELD(426),
  ROOT_MOVED(427),

  // 5xx: requests
  OPTIONS_DIFFER(501),
  VOLUME_IN_USE(502),
  TOO_MANY_WAITERS(503),
  IN_PROGRESS(504),
  CANCELLED(505),
  SUPERSEDED(506),
  NOT_MOUNTED(507),
  NOT_OFFERED(508),
  SECRETS_UNAVAILABLE(509),
  NOT_ALLOWED_HERE(510),
  ACCESS_MODE_REPLACED(511),
  LIST_TAKES_ALL(512),
  HOST_NOT_HEARD(513),
  VOLUME_NOT_PERMITTED(514),
  MOUNT_FLAG_REFUSED(515),
  RUNTIME_CANNOT_MOUNT(531),
  PROPAGATION_REFUSED(532),
  TOPOLOGY_MISMATCH(533),
  MOUNT_MISSING(534),
  DESTINATION_CONFLICT(535),
  RUNTIME_UNREADABLE(536),
  SOURCE_UNKNOWN(537),
  DESTINATION_IN_READ_ONLY(538),
  OWNERSHIP_REFUSED(539),
  OWNERSHIP_NOT_SET(540),

  // 6xx: directories and paths
  NO_SPACE(601),
  PATH_IN_THE_WAY(602),
  PATH_NOT_EMPTY(603),
  SYMLINK_IN_PATH(604),
  PATH_DENIED(605),
  PATH_READ_ONLY(606),
  PATH_FAILED(607),
  WRONG_IDENTITY(608),
  ROOT_NOT_USABLE(609),
  ROOT_TOO_LONG(610),
  ROOT_FS_UNSUITED(611),
  ROOT_VANISHED(612),

  // 7xx: calls to the plugin
  RPC_SLOW(701),
  RPC_STUCK(702),
  STAGE_IN_DOUBT(703),
  PUBLISH_IN_DOUBT(704),
  UNPUBLISH_IN_DOUBT(705),
  UNSTAGE_IN_DOUBT(706),
  REFUSED_BY_PLUGIN(707),
  RELEASE_REFUSED(708),
  FAILED_IN_DOUBT(709),
  DATA_LOSS(710),
  CALL_FAILED(711),
  RELEASED_WITHOUT_CONFIRMATION(712),
  ABANDONED(713),
  RELEASE_NOT_SENT(714),
  REFRESH_REFUSED(715),
  REFRESH_IN_DOUBT(716),
  VOLUME_GONE(717),

  // 8xx: claims across machines
  CLAIM_HELD_BY(801),
  CLAIM_OTHER_USE(802),
  CLAIM_BEING_RELEASED(803),
  CLAIM_CHANGE_NEEDED(804),
  CLAIM_READ_ONLY(805),
  CLAIM_EXHAUSTED(806),
  CLAIM_NOT_FREE(807),
  CLAIM_MISSING(808),
  CLAIM_UNCONFIRMED(809),
  CLAIM_STORE_DOWN(810),
  CLAIM_STORE_WENT_BACK(811),
  CLAIM_TOO_LARGE(812),
  CLAIM_UNREADABLE(813),
  STORE_MOVED(814),
  CLAIM_NEEDS_FENCING(821),
  CLAIM_PROOF_UNFIT(822),
  CLAIM_OVERRIDDEN(823),
  CLAIM_ORPHANED(824),
  ATTACH_RESUMED(825),
  DETACH_RESUMED(826),
  ATTACH_FAILED(827),
  ATTACHED_ELSEWHERE(828),
  ATTACHED_OTHERWISE(829),
  DETACH_FAILED(830),
  DETACH_NOT_KNOWN(831),
  ATTACH_LEFT_OVER(832),
  PUBLISH_CONTEXT_CHANGED(833),
  ATTACH_REFUSED(834),

  // 84x: nodes and their claims
  FENCED(841),
  FENCED_WHILE_MOUNTED(842),
  SELF_FENCED(843),
  RECEIPT_REFUSED(844),
  ATTACHMENT_LOST(845),
  ATTACHMENT_UNKNOWN(846),
  VOLUME_ABNORMAL(847),
  VOLUME_WELL_AGAIN(848),

  // 9xx: the manager itself
  STEP_FAILED(901),
  LISTENER_FAILED(902),
  EVENTS_DROPPED(903),
  ENGINE_CLOSED(904),
  CLOSED_WITH(905),
  LONG_PAUSE(906),
  NO_THREADS(907),

  // 92x to 94x: requests to storage systems
  CONTROLLER_BUSY(921),
  CONTROLLER_CALL_CANCELLED(922),
  CONTROLLER_SECRETS_MISSING(923),
  CONTROLLER_CALL_REFUSED(924),
  CONTROLLER_CALL_NOT_OFFERED(925),
  CONTROLLER_CALL_IN_DOUBT(926),
  CONTROLLER_ANSWER_UNUSABLE(927),
  RELEASE_NOT_OFFERED(928),
  VOLUME_REQUEST_REFUSED(931),
  VOLUME_UNKNOWN(932),
  VOLUME_KNOWN_OTHERWISE(933),
  VOLUME_CLAIMED(934),
  VOLUME_NOT_OURS(935),
  VOLUME_BEING_DELETED(936),
  VOLUME_MAY_BE_LEFT(937),
  VOLUME_ID_TAKEN(938),
  VOLUME_SHRINKS(939),
  VOLUME_NOT_CONFIRMED(940),
  SNAPSHOT_NOT_READY(941),
  SNAPSHOT_IN_GROUP(942),
  LISTING_TOKEN_EXPIRED(943),
  LISTING_ENDLESS(944),
  VALIDATION_UNANSWERED(945),
  SNAPSHOT_OWED(946),
  VOLUME_CONTEXT_CHANGED(947),
  VOLUME_FORGOTTEN(948),
  VOLUME_UNUSED(949),
  VOLUME_TOPOLOGY_CHANGED(950),
  STORAGE_TOO_SMALL(951),
  SNAPSHOT_UNKNOWN(952),
  SNAPSHOT_LOST(953),
  CATALOG_DOWN(954),
  CATALOG_WENT_BACK(955),
  CATALOG_UNREADABLE(956),
  CATALOG_UNCONFIRMED(957),
  VOLUME_TAKEN_OVER(958),
  CLUSTER_EXISTS(959),
  CLUSTER_OTHER(960),
  CLUSTER_COPIED(961),
  VOLUME_RECORD_FULL(962),

  // 97x: nodes and control planes
  MESSAGE_UNREADABLE(971),
  MESSAGE_TOO_LARGE(972),
  MESSAGE_FROM_NEWER_VERSION(973),
  CODE_OF_NEWER_VERSION(974),
  CONTROL_PLANE_SILENT(975),
  CONTROL_PLANE_REFUSES(976),
  NODE_UNKNOWN(977),
  NODE_DRAINING(978),
  NODE_AWAY(979),
  NODE_CLAIMED(980),
  CONTROL_PLANE_OTHER(981);

  private final int number;

  /** The severity of a code. */
  public enum Severity {
    /** No action is required. The message only completes the record of events. */
    INFO,
    /** Action is required, but not immediately: csi4j tolerates the problem for now. */
    WARNING,
    /** Action is required now: a request failed, or csi4j cannot solve the problem alone. */
    ERROR
  }

  /** A row of the table of codes. */
  private record Text(Severity severity, String meaning, String safe, String next) {}

  /** The table of codes, read from its file on first use. */
  private static final class Table {
    private static final Map<OperatorCode, Text> TEXTS = read();

    private static Map<OperatorCode, Text> read() {
      Map<OperatorCode, Text> texts = new EnumMap<>(OperatorCode.class);
      for (List<String> row :
          Rows.of(OperatorCode.class.getResourceAsStream("operator-codes.tsv"), 6)) {
        OperatorCode code = valueOf(row.get(1));
        Text text = new Text(Severity.valueOf(row.get(2)), row.get(3), row.get(4), row.get(5));
        if (code.number != Integer.parseInt(row.get(0)) || texts.put(code, text) != null) {
          throw new IllegalStateException("A row has a wrong number, or repeats a code: " + row);
        }
      }
      if (texts.size() != values().length) {
        throw new IllegalStateException("Codes without a row: " + missing(texts));
      }
      return texts;
    }

    private static List<OperatorCode> missing(Map<OperatorCode, Text> texts) {
      return List.of(values()).stream().filter(code -> !texts.containsKey(code)).toList();
    }
  }

  OperatorCode(int number) {
    this.number = number;
  }

  private Text text() {
    return Objects.requireNonNull(Table.TEXTS.get(this), "text");
  }

  /** Returns the number of the code. */
  public int number() {
    return number;
  }

  /**
   * Returns the number and the name of the code, such as {@code CSI-412 MOUNT_NOT_VISIBLE}. Each
   * message begins with this text.
   */
  public String label() {
    return "CSI-" + number + " " + name();
  }

  /** Returns the severity of the code. */
  public Severity severity() {
    return text().severity();
  }

  /** Returns the meaning of the code, as a sentence without a full stop. */
  public String meaning() {
    return text().meaning();
  }

  /** Returns a clause that states what is safe after this event. */
  public String safe() {
    return text().safe();
  }

  /** Returns the next step for the operator, as a sentence without a full stop. */
  public String next() {
    return text().next();
  }
}
