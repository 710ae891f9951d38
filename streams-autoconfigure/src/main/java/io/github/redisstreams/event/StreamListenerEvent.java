package io.github.redisstreams.event;

import java.time.Instant;

/**
 * Something has happened to a listener of this process. Published through Spring's
 * {@code ApplicationEventPublisher}, so a method with {@code @EventListener} gets it: all
 * of them with this type as its argument.
 * <p>
 * All are published by one thread of their own, one after the other: a method that takes
 * long delays later events and nothing else. Events tell, and no more: nobody can veto
 * what has happened.
 */
public sealed interface StreamListenerEvent permits ListenerStartedEvent, ListenerStoppedEvent,
		ListenerStateChangedEvent, EntryDeadLetteredEvent, ListenerIdleEvent {

	/**
	 * Which listener.
	 * @return its id, under which {@code StreamListenerRegistry} knows it
	 */
	String listenerId();

	/**
	 * What it reads.
	 * @return the stream's key
	 */
	String stream();

	/**
	 * For which group it reads.
	 * @return the group's name
	 */
	String group();

	/**
	 * When it happened, by the clock of this process. That the event is published may
	 * take a while longer.
	 * @return the time
	 */
	Instant time();

}
