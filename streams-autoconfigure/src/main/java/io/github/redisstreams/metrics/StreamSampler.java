package io.github.redisstreams.metrics;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import io.github.redisstreams.StreamsConfigurationException;
import io.github.redisstreams.config.StreamListenerRegistry;
import io.github.redisstreams.listener.ListenerOptions;
import io.github.redisstreams.listener.StreamListenerContainer;
import io.github.redisstreams.redis.SampledStream;
import io.github.redisstreams.redis.StreamCommands;
import io.github.redisstreams.support.BackgroundWorker;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Asks Redis in the background how the streams of this application and their groups are,
 * and keeps the answers for three intervals: one script for each stream and interval,
 * however many listeners and groups it has, and another for a group whose lag the server
 * cannot tell. Who wants to know asks this, and never waits for Redis.
 */
public class StreamSampler extends BackgroundWorker {

	/** After how many intervals without an answer nothing is known any more. */
	private static final int LIFE = 3;

	private static final Log logger = LogFactory.getLog(StreamSampler.class);

	private final StreamCommands commands;

	private final StreamListenerRegistry registry;

	private final Set<String> furtherStreams;

	private final Duration interval;

	private final LagBudget budget;

	private final Readings<String, SampledFigures> readings;

	private final SamplingProblems problems = new SamplingProblems();

	private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

	private boolean failing;

	/**
	 * Create a sampler that is not running.
	 * @param commands the port to Redis
	 * @param registry knows the listeners, whose streams and groups are sampled whether
	 * they are started or not
	 * @param furtherStreams the keys of streams that are sampled although there may be no
	 * listener of them
	 * @param interval how often to ask Redis
	 * @throws StreamsConfigurationException if the interval is shorter than a millisecond
	 */
	public StreamSampler(StreamCommands commands, StreamListenerRegistry registry, Collection<String> furtherStreams,
			Duration interval) {
		super("streams-sampler-", StreamListenerRegistry.PHASE);
		if (interval.toMillis() < 1) {
			throw new StreamsConfigurationException(
					"Lag and pending cannot be sampled every " + interval.toMillis() + "ms",
					"Set redis.streams.metrics.interval to 1ms or more, such as 5s.");
		}
		this.commands = commands;
		this.registry = registry;
		this.furtherStreams = Set.copyOf(furtherStreams);
		this.interval = interval;
		this.budget = LagBudget.of(interval);
		this.readings = new Readings<>(interval.multipliedBy(LIFE));
	}

	/**
	 * What is known of a group.
	 * @param stream the stream's key
	 * @param group the group's name
	 * @return what was last read of it; {@code null} before the first answer, while Redis
	 * does not answer, and while there is no such group
	 */
	public @Nullable GroupReading group(String stream, String group) {
		SampledFigures figures = this.readings.get(stream);
		return (figures != null) ? figures.groups().get(group) : null;
	}

	/**
	 * What is known of a stream.
	 * @param stream the stream's key
	 * @return what was last read of it; {@code null} before the first answer, and while
	 * Redis does not answer
	 */
	public @Nullable StreamReading stream(String stream) {
		SampledFigures figures = this.readings.get(stream);
		return (figures != null) ? figures.stream() : null;
	}

	/**
	 * The streams that are sampled now.
	 * @return their keys
	 */
	public Set<String> getStreams() {
		Set<String> keys = new HashSet<>(this.furtherStreams);
		this.registry.getContainers().forEach((container) -> keys.add(container.getOptions().stream()));
		return keys;
	}

	/**
	 * Have something done at each start, before {@link #start()} returns, and then before
	 * each sampling, on the sampler's thread. It must not wait for anything.
	 * @param listener what to do; what it throws is logged
	 */
	public void addListener(Runnable listener) {
		this.listeners.add(listener);
	}

	@Override
	protected void schedule(ScheduledExecutorService executor) {
		callListeners();
		executor.scheduleWithFixedDelay(this::sample, 0, this.interval.toMillis(), TimeUnit.MILLISECONDS);
	}

	/**
	 * Ask Redis now, and wait for the answers.
	 */
	void sample() {
		boolean called = callListeners();
		this.failing = !(attempt(this::askAboutAll) && called);
	}

	private boolean callListeners() {
		boolean well = true;
		for (Runnable listener : this.listeners) {
			well &= attempt(listener);
		}
		return well;
	}

	private void askAboutAll() {
		SamplingRound round = new SamplingRound(this.commands, this.budget);
		try {
			round.ask(sampledStreams());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return;
		}
		Map<String, SampledFigures> figures = round.figures();
		figures.forEach(this.readings::put);
		this.readings.forgetIf((stream) -> !figures.containsKey(stream));
		this.problems.tell(round.problems());
	}

	private Collection<SampledStream> sampledStreams() {
		Map<String, List<ListenerOptions>> listeners = new LinkedHashMap<>();
		for (StreamListenerContainer container : this.registry.getContainers()) {
			ListenerOptions options = container.getOptions();
			listeners.computeIfAbsent(options.stream(), (stream) -> new ArrayList<>()).add(options);
		}
		this.furtherStreams.forEach((stream) -> listeners.computeIfAbsent(stream, (key) -> List.of()));
		List<SampledStream> streams = new ArrayList<>();
		listeners.forEach((stream, options) -> {
			// At the application's start the groups may be under way
			this.registry.awaitGroups(stream);
			Set<String> groups = new HashSet<>();
			Set<String> deadLetters = new HashSet<>();
			for (ListenerOptions listener : options) {
				groups.add(listener.group());
				deadLetters.add(listener.deadLetterStream());
			}
			streams.add(new SampledStream(stream, groups, deadLetters));
		});
		return streams;
	}

	// The scheduler would drop a task that throws
	private boolean attempt(Runnable work) {
		try {
			work.run();
			return true;
		}
		catch (RuntimeException | Error ex) {
			if (!this.failing) {
				this.failing = true;
				logger.warn("Meters and health may lack figures of Redis Streams for now", ex);
			}
			return false;
		}
	}

}
