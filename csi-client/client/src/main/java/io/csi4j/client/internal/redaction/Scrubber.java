package io.csi4j.client.internal.redaction;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.csi4j.client.internal.text.SafeText;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.BitSet;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Removes sensitive values from a text, in all usual forms in which programs print values. A value
 * may be unchanged; escaped for JSON, Go, HTML, a shell or URLs (also twice); in hex; or a list of
 * bytes. A value may also be in base64: encoded once or twice, within a longer base64 text, or
 * after it was escaped.
 *
 * <p>The scrubber compares a value with the text character by character. Each character may appear
 * in any of its forms, escaped once or several times by the same method. If several programs have
 * quoted the text by different methods, the scrubber first undoes the quotings one by one. It marks
 * all occurrences before it replaces them, so that overlapping values are removed completely.
 */
public final class Scrubber {

  /** The replacement for a value. */
  public static final String MARK = "<redacted>";

  /** Maximum number of characters scanned. Much less text is ever shown. */
  private static final int WINDOW = 16 << 10;

  /**
   * Minimum length of the beginning of a value that is removed if the text was cut within the
   * value.
   */
  private static final int LEAST_BEGINNING = 8;

  /** Maximum length of a form of one character. Needed for forms that were cut in two. */
  private static final int LONGEST_FORM = 20;

  /**
   * Maximum number of steps. A text that needs more steps is withheld completely, because only a
   * malicious plugin would write it.
   */
  private static final int STEPS_LIMIT = 5_000_000;

  /** Maximum depth of base64 within base64 that is decoded. */
  private static final int DEEPEST = 2;

  /** Maximum number of nested quotings that are undone. */
  private static final int QUOTINGS = 2;

  /**
   * Minimum size in bytes of a value whose encoded forms are searched. The forms of smaller values
   * occur in other text by chance.
   */
  private static final int LEAST_ENCODED = 3;

  /**
   * Text that may be the base64 of a value in one of its other forms, which are longer than {@link
   * #LEAST_ENCODED} bytes.
   */
  private static final Pattern BASE64 = Pattern.compile("[A-Za-z0-9+/_-]{6,}");

  /**
   * Minimum number of adjacent text characters that show that decoded bytes are text, and not
   * random bytes.
   */
  private static final int LEAST_TEXT = 8;

  /** Maximum length of the result, without the note that the text was cut. */
  private static final int LIMIT = SafeText.FOREIGN_TEXT_LIMIT - 48;

  private final String text;
  private final int depth;
  private final int quotings;
  private final BitSet marked = new BitSet();
  private Positions here = new Positions();
  private Positions next = new Positions();

  private Scrubber(String text, int depth, int quotings) {
    this.text = text;
    this.depth = depth;
    this.quotings = quotings;
  }

  /** Returns {@code text} without {@code values}, as one printable line of at most 1 KiB. */
  public static String scrub(String text, Collection<String> values) {
    return of(values).apply(text);
  }

  /**
   * Returns a function like {@link #scrub} for several texts. The work that depends only on the
   * values is done once.
   */
  public static UnaryOperator<String> of(Collection<String> values) {
    Forms forms = new Forms(values);
    return text -> scrub(text, forms);
  }

  /**
   * Returns a function like {@link #of}, but without escaping, for callers that escape and cut the
   * text themselves. Cuts only text beyond the scanned part.
   */
  public static UnaryOperator<String> whole(Collection<String> values) {
    if (values.isEmpty()) {
      return UnaryOperator.identity();
    }
    Forms forms = new Forms(values);
    return text -> {
      String without = replaced(text, forms);
      return text.length() > WINDOW
          ? without + "… (" + text.length() + " characters in all)"
          : without;
    };
  }

  private static String scrub(String text, Forms forms) {
    return SafeText.escape(replaced(text, forms), LIMIT);
  }

  private static String replaced(String text, Forms forms) {
    String looked = text.length() > WINDOW ? text.substring(0, WINDOW) : text;
    Scrubber scrubber = new Scrubber(looked, 0, QUOTINGS);
    return scrubber.mark(forms) ? scrubber.replaced() : MARK;
  }

  private static List<Form> forms(String value) {
    if (value.isEmpty()) {
      return List.of();
    }
    // If a value is longer than the scanned text, the text can contain only the beginning of the
    // value.
    String head = value.length() > WINDOW ? value.substring(0, WINDOW + 1) : value;
    byte[] bytes = head.getBytes(UTF_8);
    Form escaped = new Escaped(head.codePoints().toArray());
    Form hex = new Hex(HexFormat.of().formatHex(bytes));
    Form octets = new Octets(bytes);
    if (bytes.length < LEAST_ENCODED) {
      String digits = Base64.getEncoder().withoutPadding().encodeToString(bytes);
      return List.of(
          new ShortForm(escaped, false),
          new ShortForm(hex, true),
          new ShortForm(octets, true),
          new ShortForm(new Base64Text(digits, false), true));
    }
    List<Form> forms = new ArrayList<>(List.of(escaped, hex, octets));
    for (int before = 0; before < 3; before++) {
      forms.add(Base64Text.of(bytes, before));
    }
    return forms;
  }

  /**
   * Marks all occurrences of the forms, including quoted occurrences and base64. Returns false if
   * this takes too many steps.
   */
  private boolean mark(Forms forms) {
    for (int start = 0; start < text.length(); start++) {
      if (marked.get(start) && marked.nextClearBit(start) >= text.length()) {
        break;
      }
      for (Form form : forms.beginningWith(text.charAt(start))) {
        mark(form, start);
        if (isTooMuch()) {
          return false;
        }
      }
    }
    return markQuoted(forms) && markEncoded(forms);
  }

  private void mark(Form form, int start) {
    if (text.length() - start < Math.min(form.length(), LEAST_BEGINNING)) {
      return;
    }
    int end = match(form, start);
    if (end > start
        && form.isWhole(text, start, end)
        && (depth == 0 || !form.isShort() || isText(start, end))) {
      marked.set(form.widenedStart(text, start), form.widenedEnd(text, end));
    }
  }

  /** Marks the occurrences of the forms after a quoting is undone. */
  private boolean markQuoted(Forms forms) {
    if (quotings == 0) {
      return true;
    }
    for (Quoting quoting : Quoting.values()) {
      Optional<Quoting.Undone> undone = quoting.undone(text);
      if (undone.isEmpty()) {
        continue;
      }
      Scrubber inner = new Scrubber(undone.get().text, depth, quotings - 1);
      if (!markInside(inner, forms)) {
        return false;
      }
      for (int at = inner.marked.nextSetBit(0); at >= 0; ) {
        int end = inner.marked.nextClearBit(at);
        marked.set(undone.get().begin(at), undone.get().end(end));
        at = inner.marked.nextSetBit(end);
      }
    }
    return true;
  }

  /** Marks each base64 text that contains one of the forms. */
  private boolean markEncoded(Forms forms) {
    Matcher runs = BASE64.matcher(text);
    while (depth < DEEPEST && runs.find()) {
      for (int offset = 0; offset < 4; offset++) {
        Scrubber inner =
            new Scrubber(decoded(runs.start() + offset, runs.end()), depth + 1, quotings);
        if (!markInside(inner, forms)) {
          return false;
        }
        if (!inner.marked.isEmpty()) {
          int end = runs.end();
          while (end < text.length() && text.charAt(end) == '=') {
            end++;
          }
          marked.set(runs.start(), end);
          break;
        }
      }
    }
    return true;
  }

  /** Marks the positions in this text that correspond to the marked positions in {@code inner}. */
  private boolean markInside(Scrubber inner, Forms forms) {
    inner.here.work = here.work;
    inner.next.work = next.work;
    boolean isDone = inner.mark(forms);
    here.work = inner.here.work;
    next.work = inner.next.work;
    return isDone;
  }

  /**
   * Returns whether the characters around a match are plausible text, and not arbitrary bytes that
   * were decoded as base64.
   */
  private boolean isText(int start, int end) {
    int from = start;
    while (from > 0 && isText(text.charAt(from - 1))) {
      from--;
    }
    int to = end;
    while (to < text.length() && isText(text.charAt(to))) {
      to++;
    }
    return to - from >= Math.min(LEAST_TEXT, text.length());
  }

  private static boolean isText(char c) {
    return c != Quoting.NO_CHARACTER && (!Character.isISOControl(c) || "\n\r\t".indexOf(c) >= 0);
  }

  /** Returns the decoded base64 text, without an incomplete end. */
  private String decoded(int from, int end) {
    String digits = text.substring(from, end).replace('-', '+').replace('_', '/');
    int odd = digits.length() % 4 == 1 ? 1 : 0;
    return new String(
        Base64.getDecoder().decode(digits.substring(0, digits.length() - odd)), UTF_8);
  }

  /** Returns where the form that begins at {@code start} ends, or -1. */
  private int match(Form form, int start) {
    here.clear();
    here.add(start);
    for (int i = 0; i < form.length() && !isTooMuch(); i++) {
      next.clear();
      for (int p = 0; p < here.size; p++) {
        form.step(text, i, here.at[p], next);
      }
      if (next.size == 0) {
        return i >= LEAST_BEGINNING && isCutInside() ? text.length() : -1;
      }
      Positions swap = here;
      here = next;
      next = swap;
      if (i + 1 >= LEAST_BEGINNING && here.max() == text.length()) {
        return text.length();
      }
    }
    return here.max();
  }

  private boolean isTooMuch() {
    return here.work + next.work > STEPS_LIMIT;
  }

  /** Returns whether the text ends in the middle of an escape, or with dots that mark a cut. */
  private boolean isCutInside() {
    for (int p = 0; p < here.size; p++) {
      int from = here.at[p];
      if (text.length() - from < LONGEST_FORM
          && !Escaped.isLetterOrDigit(text.charAt(from))
          && text.indexOf(' ', from) < 0) {
        return true;
      }
    }
    return false;
  }

  private String replaced() {
    StringBuilder out = new StringBuilder(text.length());
    int from = 0;
    for (int start = marked.nextSetBit(0); start >= 0; start = marked.nextSetBit(from)) {
      out.append(text, from, start).append(MARK);
      from = marked.nextClearBit(start);
    }
    return out.append(text, from, text.length()).toString();
  }

  /** A set of positions in the text. */
  private static final class Positions {
    private int[] at = new int[16];
    private int size;
    private long work;

    void clear() {
      size = 0;
    }

    void add(int position) {
      work++;
      for (int i = size - 1; i >= 0; i--) {
        work++;
        if (at[i] == position) {
          return;
        }
      }
      if (size == at.length) {
        at = Arrays.copyOf(at, size * 2);
      }
      at[size++] = position;
    }

    int max() {
      int max = -1;
      for (int i = 0; i < size; i++) {
        max = Math.max(max, at[i]);
      }
      return max;
    }
  }

  /** The forms of all values, indexed by their first characters. */
  private static final class Forms {
    private final List<Form> all;
    private final Map<Character, List<Form>> byFirst = new ConcurrentHashMap<>();

    Forms(Collection<String> values) {
      all = values.stream().flatMap(value -> forms(value).stream()).toList();
    }

    List<Form> beginningWith(char c) {
      List<Form> known = byFirst.get(c);
      return known != null ? known : byFirst.computeIfAbsent(c, this::find);
    }

    private List<Form> find(char c) {
      return all.stream().filter(form -> form.mayBeginWith(c)).toList();
    }
  }

  /** One method to write a value, as a sequence of characters that have several forms each. */
  private interface Form {

    int length();

    /**
     * Returns whether a form may begin with {@code c}. A cheap test, which may return true for
     * other characters.
     */
    boolean mayBeginWith(char c);

    /** Adds each position that a form of character {@code i} reaches from {@code from}. */
    void step(String text, int i, int from, Positions to);

    /** Returns whether the value is so short that its forms occur in many texts by chance. */
    default boolean isShort() {
      return false;
    }

    /**
     * Returns whether the match is a complete unit, and not a part of a longer text that contains
     * it by chance.
     */
    default boolean isWhole(String text, int start, int end) {
      return true;
    }

    default int widenedStart(String text, int start) {
      return start;
    }

    default int widenedEnd(String text, int end) {
      return end;
    }
  }

  /**
   * A form of a short value.
   *
   * @param asWord whether only a complete word matches
   */
  private record ShortForm(Form form, boolean asWord) implements Form {
    @Override
    public int length() {
      return form.length();
    }

    @Override
    public boolean mayBeginWith(char c) {
      return form.mayBeginWith(c);
    }

    @Override
    public void step(String text, int i, int from, Positions to) {
      form.step(text, i, from, to);
    }

    @Override
    public boolean isShort() {
      return true;
    }

    @Override
    public boolean isWhole(String text, int start, int end) {
      return !asWord
          || ((start == 0 || !Base64Text.isDigit(text.charAt(start - 1)))
              && (end == text.length() || !Base64Text.isDigit(text.charAt(end))));
    }

    @Override
    public int widenedEnd(String text, int end) {
      return asWord ? form.widenedEnd(text, end) : end;
    }
  }

  /** The characters themselves, unescaped or escaped by one of the usual methods. */
  private static final class Escaped implements Form {
    private static final List<String> QUOTES = List.of("'\\''", "'\"'\"'", "''");
    private static final int BACKSLASHES = 64;
    private static final int REQUOTED = 8;
    private static final int TIMES = 3;
    private static final int LONGEST_ENTITY = 9;
    private static final byte[] PLUS = {'+'};

    private final int[] value;

    Escaped(int[] value) {
      this.value = value;
    }

    @Override
    public int length() {
      return value.length;
    }

    @Override
    public boolean mayBeginWith(char c) {
      return c == '%'
          || c == '&'
          || c == '\\'
          || c
              == (Character.isBmpCodePoint(value[0]) ? value[0] : Character.highSurrogate(value[0]))
          || (c == '+' && value[0] == ' ');
    }

    @Override
    public void step(String text, int i, int from, Positions to) {
      if (from >= text.length()) {
        return;
      }
      int c = value[i];
      char first = text.charAt(from);
      if (text.codePointAt(from) == c) {
        to.add(from + Character.charCount(c));
      }
      if (first == '+' && c == ' ') {
        to.add(from + 1);
      } else if (first == '%') {
        for (int times = 1; times <= TIMES; times++) {
          percent(text, c, from, times, to);
        }
      } else if (first == '&') {
        entity(text, c, from, to);
      } else if (first == '\\') {
        backslash(text, c, from, to);
      } else if (first == '\'' && c == '\'') {
        for (String quote : QUOTES) {
          if (text.startsWith(quote, from)) {
            to.add(from + quote.length());
          }
        }
      }
    }

    /** Matches repeated percent encoding. Each repetition writes the percent sign as %25. */
    private static void percent(String text, int c, int from, int times, Positions to) {
      int at = from;
      // If the first encoding wrote a space as a plus sign, the second encoding treats the plus
      // sign as an ordinary character.
      byte[] octets = c == ' ' && isPlus(text, from, times) ? PLUS : utf8(c);
      int nested = octets == PLUS ? times - 1 : times;
      for (byte octet : octets) {
        if (at >= text.length() || text.charAt(at) != '%') {
          return;
        }
        at++;
        for (int i = 1; i < nested; i++) {
          if (Quoting.number(text, at, 2, 16) != '%') {
            return;
          }
          at += 2;
        }
        if (Quoting.number(text, at, 2, 16) != (octet & 0xFF)) {
          return;
        }
        at += 2;
      }
      to.add(at);
    }

    private static boolean isPlus(String text, int from, int times) {
      return times > 1 && text.startsWith("25".repeat(times - 2) + "2B", from + 1);
    }

    /**
     * Matches an entity by name or number, including an entity whose ampersand is itself an entity.
     */
    private static void entity(String text, int c, int from, Positions to) {
      int at = from + 1;
      for (int times = 1; times <= TIMES; times++) {
        int end = text.indexOf(';', at);
        if (end < 0 || end - at > LONGEST_ENTITY) {
          return;
        }
        String name = text.substring(at, end);
        if (Quoting.entity(name) == c) {
          to.add(end + 1);
        }
        if (!name.equals("amp")) {
          return;
        }
        at = end + 1;
      }
    }

    /** Treats several backslashes as one, because each repeated quoting doubles them. */
    private static void backslash(String text, int c, int from, Positions to) {
      int at = afterBackslashes(text, from);
      if (c == '\\') {
        for (int count = 1; count <= REQUOTED && from + count <= at; count *= 2) {
          to.add(from + count);
        }
      }
      if (at >= text.length()) {
        return;
      }
      if (c != '\\' && !isLetterOrDigit(c) && text.codePointAt(at) == c) {
        to.add(at + Character.charCount(c));
      }
      char kind = text.charAt(at);
      if (c >= 7 && c <= 13 && "abtnvfr".charAt(c - 7) == kind) {
        to.add(at + 1);
      }
      if (kind == 'u') {
        utf16(text, c, at, to);
      } else if (kind == 'U') {
        if (Quoting.number(text, at + 1, 8, 16) == c) {
          to.add(at + 9);
        }
        if (Quoting.number(text, at + 1, 6, 16) == c) {
          to.add(at + 7);
        }
      } else {
        octets(text, c, from, to);
      }
    }

    private static void utf16(String text, int c, int from, Positions to) {
      int at = from;
      for (char unit : Character.toChars(c)) {
        if (at > from) {
          at = afterBackslashes(text, at);
        }
        if (at >= text.length()
            || text.charAt(at) != 'u'
            || Quoting.number(text, at + 1, 4, 16) != unit) {
          return;
        }
        at += 5;
      }
      to.add(at);
    }

    private static void octets(String text, int c, int from, Positions to) {
      int at = from;
      for (byte octet : utf8(c)) {
        int digits = afterBackslashes(text, at);
        if (digits == at || digits >= text.length()) {
          return;
        }
        if (text.charAt(digits) == 'x'
            && Quoting.number(text, digits + 1, 2, 16) == (octet & 0xFF)) {
          at = digits + 3;
        } else if (Quoting.number(text, digits, 3, 8) == (octet & 0xFF)) {
          at = digits + 3;
        } else {
          return;
        }
      }
      to.add(at);
    }

    private static int afterBackslashes(String text, int from) {
      int at = from;
      while (at < text.length() && text.charAt(at) == '\\' && at - from < BACKSLASHES) {
        at++;
      }
      return at;
    }

    private static byte[] utf8(int c) {
      return Character.toString(c).getBytes(UTF_8);
    }

    static boolean isLetterOrDigit(int c) {
      return c < 0x80 && Character.isLetterOrDigit(c);
    }
  }

  /** The bytes of the UTF-8 form, as hex digits of either case. */
  private record Hex(String digits) implements Form {
    @Override
    public int length() {
      return digits.length();
    }

    @Override
    public boolean mayBeginWith(char c) {
      return lower(c) == digits.charAt(0);
    }

    @Override
    public void step(String text, int i, int from, Positions to) {
      if (from < text.length() && lower(text.charAt(from)) == digits.charAt(i)) {
        to.add(from + 1);
      }
    }

    private static int lower(char c) {
      return c >= 'A' && c <= 'F' ? c + ('a' - 'A') : c;
    }
  }

  /**
   * The bytes of the UTF-8 form as numbers with separators: {@code [84 114]}, {@code 0x54, 0x72},
   * {@code 54:72}. Numbers above 127 may be negative, as Java prints them.
   */
  private static final class Octets implements Form {
    private static final String BETWEEN = " ,;:-\n\t";
    private static final int WIDEST_GAP = 3;

    private final byte[] octets;
    private final char firstDecimal;

    Octets(byte[] octets) {
      this.octets = octets;
      this.firstDecimal = Integer.toString(octets[0] & 0xFF).charAt(0);
    }

    @Override
    public int length() {
      return octets.length;
    }

    @Override
    public boolean mayBeginWith(char c) {
      byte first = octets[0];
      return c == '0'
          || (c == '-' && first < 0)
          || c == firstDecimal
          || Character.digit(c, 16) == (first & 0xFF) >> 4;
    }

    @Override
    public void step(String text, int i, int from, Positions to) {
      if (i == 0) {
        boolean isInside = from > 0 && Character.digit(text.charAt(from - 1), 16) >= 0;
        if (!isInside) {
          octet(text, octets[0], from, to);
        }
        return;
      }
      int at = from;
      while (at < text.length()
          && at - from < WIDEST_GAP
          && BETWEEN.indexOf(text.charAt(at)) >= 0) {
        at++;
        octet(text, octets[i], at, to);
      }
    }

    private static void octet(String text, byte octet, int from, Positions to) {
      int value = octet & 0xFF;
      whole(text, Integer.toString(value), from, to);
      if (octet < 0) {
        whole(text, Integer.toString(octet), from, to);
      }
      String hex = HexFormat.of().toHexDigits(octet);
      whole(text, hex, from, to);
      whole(text, "0x" + hex, from, to);
      if (value < 16) {
        whole(text, "0x" + Integer.toHexString(value), from, to);
      }
    }

    private static void whole(String text, String number, int from, Positions to) {
      int end = from + number.length();
      if (text.regionMatches(true, from, number, 0, number.length())
          && (end == text.length() || Character.digit(text.charAt(end), 16) < 0)) {
        to.add(end);
      }
    }
  }

  /**
   * The part of a base64 text that depends only on the value.
   *
   * @param digits the digits of this part, in the standard alphabet
   * @param shared whether the digit before it contains some bits of the value
   */
  private record Base64Text(String digits, boolean shared) implements Form {

    /** Returns the base64 form of the value if {@code before} other bytes precede it. */
    static Base64Text of(byte[] value, int before) {
      byte[] octets = new byte[before + value.length];
      System.arraycopy(value, 0, octets, before, value.length);
      String all = Base64.getEncoder().withoutPadding().encodeToString(octets);
      int from = before == 0 ? 0 : before + 1;
      return new Base64Text(all.substring(from, octets.length * 8 / 6), before > 0);
    }

    @Override
    public int length() {
      return digits.length();
    }

    @Override
    public boolean mayBeginWith(char c) {
      return standard(c) == digits.charAt(0) || c == '%' || c == '\\';
    }

    @Override
    public void step(String text, int i, int from, Positions to) {
      int at = i == 0 ? from : afterLineEnd(text, from);
      if (at >= text.length()) {
        return;
      }
      char digit = digits.charAt(i);
      if (standard(text.charAt(at)) == digit) {
        to.add(at + 1);
      } else if (digit == '+' && text.regionMatches(true, at, "%2B", 0, 3)) {
        to.add(at + 3);
      } else if (digit == '/' && text.regionMatches(true, at, "%2F", 0, 3)) {
        to.add(at + 3);
      } else if (digit == '/' && text.startsWith("\\/", at)) {
        to.add(at + 2);
      } else if (digit == '+' && text.regionMatches(true, at, "\\u002b", 0, 6)) {
        to.add(at + 6);
      }
    }

    @Override
    public int widenedStart(String text, int start) {
      return shared && start > 0 && isDigit(text.charAt(start - 1)) ? start - 1 : start;
    }

    @Override
    public int widenedEnd(String text, int end) {
      int at = end;
      if (at < text.length() && isDigit(text.charAt(at))) {
        at++;
      }
      while (at < text.length() && text.charAt(at) == '=') {
        at++;
      }
      return at;
    }

    /** Base64 is often broken into lines. */
    private static int afterLineEnd(String text, int from) {
      int at = from;
      while (at < text.length()) {
        if (text.charAt(at) == '\n' || text.charAt(at) == '\r') {
          at++;
        } else if (text.startsWith("\\n", at) || text.startsWith("\\r", at)) {
          at += 2;
        } else {
          return at;
        }
      }
      return at;
    }

    private static boolean isDigit(char c) {
      return Escaped.isLetterOrDigit(c) || "+/-_".indexOf(c) >= 0;
    }

    private static char standard(char c) {
      return c == '-' ? '+' : c == '_' ? '/' : c;
    }
  }
}
